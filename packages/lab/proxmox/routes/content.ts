import type { Json } from "@talosmith/lib/json.ts";
import { requirePrivileges } from "../access/permission.ts";
import { durations } from "../durations.ts";
import { startJob } from "../jobs/job.ts";
import { STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { startTask } from "../jobs/upid.ts";
import { whenDone, whenDoneWithin } from "../jobs/waiting.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_TEXT, storageContent, VMID } from "../parameters/formats.ts";
import type { Properties } from "../parameters/property.ts";
import { parseSize } from "../parameters/sizes.ts";
import { badParameters, died } from "../refusal.ts";
import { shuffled } from "../shuffle.ts";
import type { StorageDefinition, Volume } from "../state.ts";
import { kindOf } from "../storage/kinds.ts";
import { usableStorage, volumePath, volumesOn } from "../storage/storages.ts";
import { findVolume, parseVolumeId, parseVolumeName, printVolumeId, type VolumeId } from "../storage/volume-id.ts";
import { requireVolumeAccess } from "../vm/drive-parameters.ts";
import { type ApiCall, type Later, type Method, route } from "./route.ts";

/** A volume in a list. Only file storages report the used size and the parent of an image; only LVM has no creation time. */
function asListed(storage: StorageDefinition, volume: Volume): Record<string, Json> {
  const file = kindOf(storage).files && volume.content === "images";
  return {
    volid: printVolumeId(volume),
    content: volume.content,
    format: volume.format,
    size: volume.size,
    ctime: volume.ctime,
    ...(file && { used: volume.used }),
    ...(volume.parent !== undefined && { parent: asParent(storage, volume.parent) }),
    ...(volume.vmid !== undefined && { vmid: volume.vmid }),
    ...(volume.notes !== undefined && { notes: volume.notes.split("\n")[0] as string }),
    ...(volume.protected && { protected: 1 }),
  };
}

/** The parent as the storage writes it: a relative path, or a base's snapshot. */
function asParent(storage: StorageDefinition, parent: string): string {
  return kindOf(storage).files ? `../${parent}` : `${parent}@__base__`;
}

/** Volumes without access rights are silently left out. */
function list(call: ApiCall): Json {
  const { lab, state, node, params } = call;
  const storage = usableStorage(state, params.storage as string, node);
  const volumes = volumesOn(state, storage, node).filter(
    (volume) =>
      storage.content.includes(volume.content) &&
      (params.content === undefined || volume.content === params.content) &&
      (params.vmid === undefined || volume.vmid === Number(params.vmid)) &&
      mayTouch(call, volume),
  );
  return shuffled(
    lab,
    `volumes ${node} ${storage.id}`,
    volumes.map((volume) => asListed(storage, volume)),
  );
}

function mayTouch({ state, caller }: ApiCall, volume: Volume): boolean {
  try {
    requireVolumeAccess(state, caller, undefined, printVolumeId(volume));
    return true;
  } catch {
    return false;
  }
}

/** POST …/content: creates an image for a machine that need not exist. The caller waits for it. */
function allocate({ lab, state, caller, node, params, fault }: ApiCall): Later {
  const { filename = "", format, size = "" } = params;
  const suffix = /\.(raw|qcow2|vmdk)$/.exec(filename)?.[1];
  if (suffix !== undefined && format !== undefined && format !== suffix)
    throw badParameters({ format: `different storage formats (${format} != ${suffix})` });
  const storage = usableStorage(state, params.storage as string, node);
  const lock = storageLock(state, storage.id);
  const wanted = suffix ?? format;
  const allocation = {
    storage: storage.id,
    vmid: Number(params.vmid),
    name: filename,
    bytes: (parseSize(size) ?? 0) * (/\d$/.test(size) ? 1024 : 1),
    ...(wanted !== undefined && { format: wanted }),
  };
  return whenDone(
    lab,
    startJob(lab, {
      node,
      by: caller,
      steps: [{ lock, waitMs: STORAGE_WAIT }, { after: durations.allocate }, { become: "storage.allocate", with: allocation }],
      fault,
    }),
  );
}

/** The volume id, with or without the storage as prefix. */
function volumeIdOf({ params }: ApiCall): VolumeId {
  const { storage = "", volume = "" } = params;
  const id = parseVolumeId(volume) ?? { storage, name: volume };
  if (id.storage !== storage) throw badParameters({ volume: `storage ID mismatch (${id.storage} != ${storage})\n` });
  return id;
}

function attributes(call: ApiCall): Json {
  const { state, caller, node } = call;
  const id = volumeIdOf(call);
  requireVolumeAccess(state, caller, undefined, printVolumeId(id));
  const storage = usableStorage(state, id.storage, node);
  const volume = findVolume(state, node, id);
  if (!volume) throw died(`volume_size_info on '${printVolumeId(id)}' failed - no format`);
  const { size, used, format, notes } = volume;
  const backup = volume.content === "backup" && { protected: volume.protected ? 1 : 0, ...(notes !== undefined && { notes }) };
  return { path: volumePath(storage, volume), size, used, format: volume.content === "iso" ? "raw" : format, ...backup };
}

/** Sets notes, which only backups have; file storages and others have different error messages. */
function describe(call: ApiCall): Json {
  const { state, caller, node, params } = call;
  const id = volumeIdOf(call);
  requireVolumeAccess(state, caller, undefined, printVolumeId(id));
  const storage = usableStorage(state, id.storage, node);
  const { content } = parseVolumeName(storage, id.name);
  const volume = findVolume(state, node, id);
  for (const attribute of ["notes", "protected"] as const) {
    const value = params[attribute];
    if (value === undefined) continue;
    if (!kindOf(storage).files) throw died(`attribute '${attribute}' is not supported for storage type '${storage.type}'`);
    if (content !== "backup")
      throw died(attribute === "notes" ? "only backups can have notes" : `only backups support attribute '${attribute}'`);
    if (!volume) continue;
    if (attribute === "notes" && value !== "") volume.notes = value;
    else if (attribute === "protected" && value === "1") volume.protected = true;
    else delete volume[attribute];
  }
  return null;
}

function remove(call: ApiCall): Json | Later {
  const { lab, state, caller, node, params, fault } = call;
  const id = volumeIdOf(call);
  const storage = usableStorage(state, id.storage, node);
  const { vmid } = parseVolumeName(storage, id.name);
  requirePrivileges(state, caller, `/storage/${storage.id}`, ["Datastore.Allocate"]);
  const { upid } = startTask(lab, {
    type: "imgdel",
    id: vmid === undefined ? storage.id : `${vmid}@${storage.id}`,
    node,
    by: caller,
    steps: [
      { lock: storageLock(state, storage.id), waitMs: STORAGE_WAIT },
      { after: durations.removeVolume },
      { become: "storage.removed", with: { ...id } },
    ],
    fault,
  });
  return params.delay === undefined ? upid : whenDoneWithin(lab, upid, Number(params.delay) * 1000, "");
}

const ALL = { user: "all" } as const;
const AT = "/nodes/:node/storage/:storage/content";
const AUDIT = { anyPrivilege: ["/storage/:storage", "Datastore.Audit", "Datastore.AllocateSpace"] } as const;
const ALLOCATE: Properties = {
  filename: { type: "string" },
  vmid: VMID,
  size: { type: "string", pattern: /^\d+[MG]?$/ },
  format: { type: "string", optional: true, enum: ["raw", "qcow2", "subvol", "vmdk"], requires: "size" },
};

/** A single content type, where other calls accept a list. */
const LIST: Properties = { content: { ...OPTIONAL_TEXT, format: storageContent }, vmid: { ...VMID, optional: true } };

export const contentRoutes: Method[] = [
  route("GET", AT, { permission: AUDIT, parameters: LIST }, list),
  route(
    "POST",
    AT,
    { permission: { privilege: ["/storage/:storage", "Datastore.AllocateSpace"] }, parameters: ALLOCATE },
    allocate,
  ),
  route("GET", `${AT}/*volume`, { permission: ALL }, attributes),
  route("PUT", `${AT}/*volume`, { permission: ALL, parameters: { notes: OPTIONAL_TEXT, protected: OPTIONAL_BOOLEAN } }, describe),
  route(
    "DELETE",
    `${AT}/*volume`,
    { permission: ALL, parameters: { delay: { type: "integer", optional: true, minimum: 1, maximum: 30 } } },
    remove,
  ),
];
