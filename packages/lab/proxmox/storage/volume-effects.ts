import type { Effect } from "../jobs/job.ts";
import { died, type SimulatedError } from "../refusal.ts";
import type { StorageDefinition } from "../state.ts";
import { type Allocation, allocateImage } from "./allocate.ts";
import { kindOf } from "./kinds.ts";
import { storageNamed, usableStorage, volumePath } from "./storages.ts";
import { findVolume, parseVolumeName, printVolumeId, type VolumeId } from "./volume-id.ts";
import { isBaseInUse, removeVolume } from "./volumes.ts";

/** Removes a volume, but not a base in use nor a protected backup. */
const removed: Effect<VolumeId> = (run, id) => {
  const storage = storageNamed(run.state, id.storage);
  const volume = findVolume(run.state, run.job.node, id);
  const kind = parseVolumeName(storage, id.name);
  if (volume && isBaseInUse(run.state, volume)) throw died(`base volume '${id.name}' is still in use by linked clones`);
  if (volume?.protected) throw died(`cannot remove protected volume '${id.name}' on '${id.storage}'`);
  if (volume) removeVolume(run.state, volume);
  else if (kindOf(storage).files) run.say(`disk image '${volumePath(storage, { ...kind, name: id.name })}' does not exist`);
  else throw gone(storage, id);
  run.say(`Removed volume '${printVolumeId(id)}'`);
  return [];
};

/** The error for a missing volume; for a missing file a directory only logs a message. */
function gone({ type, vgname, pool }: StorageDefinition, { name }: VolumeId): SimulatedError {
  if (type === "zfspool") return died(`zfs error: cannot open '${pool}/${name}': dataset does not exist`);
  if (type === "rbd") return died(`rbd rm '${name}' error: rbd: error opening image ${name}: (2) No such file or directory`);
  return died(`lvremove '${vgname}/${name}' error:   Failed to find logical volume "${vgname}/${name}"`);
}

const allocate: Effect<Allocation & { storage: string }> = ({ lab, state, job }, { storage, ...allocation }) => {
  job.memo.answer = printVolumeId(allocateImage(lab, usableStorage(state, storage, job.node), job.node, allocation));
  return [];
};

/** Effects of the calls below …/content. */
export const volumeEffects = { "storage.allocate": allocate, "storage.removed": removed };
