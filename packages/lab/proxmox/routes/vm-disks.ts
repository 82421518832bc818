import type { Json } from "@talosmith/lib/json.ts";
import { requirePrivileges } from "../access/permission.ts";
import { startJob } from "../jobs/job.ts";
import { startTask } from "../jobs/upid.ts";
import { whenDone } from "../jobs/waiting.ts";
import { DIGEST, OPTIONAL_BOOLEAN, STORAGE, VMID } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { badParameters } from "../refusal.ts";
import { DRIVE_KEYS } from "../vm/drive.ts";
import {
  type Move,
  moveSteps,
  type Reassignment,
  reassignSteps,
  requireMovableDisk,
  requireReassignable,
} from "../vm/move-disk.ts";
import { resizeSteps } from "../vm/resize.ts";
import { readUpdate, updateSteps } from "../vm/update.ts";
import { rootOnly } from "./power.ts";
import { type ApiCall, type Later, type Method, route } from "./route.ts";

function resize(call: ApiCall): Json {
  const { lab, caller, params, node, fault } = call;
  rootOnly(call, "skiplock");
  const { disk = "", size = "", digest } = params;
  const steps = resizeSteps({
    vmid: Number(params.vmid),
    disk,
    size,
    ...(digest !== undefined && { digest }),
    skipLock: params.skiplock === "1",
  });
  return startTask(lab, { type: "resize", id: params.vmid as string, node, by: caller, steps, fault }).upid;
}

/** Moves a disk to another storage, or to another machine. */
function move(call: ApiCall): Json {
  const { storage, "target-vmid": target } = call.params;
  if (storage !== undefined && target !== undefined) throw either("either set 'storage' or 'target-vmid', but not both");
  if (target !== undefined) return giveAway(call, Number(target));
  if (storage !== undefined) return moveTo(call, storage);
  throw either("both 'storage' and 'target-vmid' missing, either needs to be set");
}

function either(message: string) {
  return badParameters({ "target-vmid": message, storage: message });
}

function moveTo({ lab, state, caller, params, node, fault }: ApiCall, storage: string): Json {
  requirePrivileges(state, caller, `/storage/${storage}`, ["Datastore.AllocateSpace"]);
  const { disk = "", format, digest } = params;
  const wish: Move = {
    vmid: Number(params.vmid),
    disk,
    storage,
    remove: params.delete === "1",
    ...(format !== undefined && { format }),
    ...(digest !== undefined && { digest }),
  };
  requireMovableDisk(state, node, wish);
  return startTask(lab, { type: "qmmove", id: String(wish.vmid), node, by: caller, steps: moveSteps(wish), fault }).upid;
}

function giveAway({ lab, state, caller, params, node, fault }: ApiCall, target: number): Json {
  const { disk = "", digest, "target-digest": targetDigest } = params;
  const wish: Reassignment = {
    vmid: Number(params.vmid),
    disk,
    target,
    targetDisk: params["target-disk"] ?? disk,
    ...(digest !== undefined && { digest }),
    ...(targetDigest !== undefined && { targetDigest }),
  };
  requireReassignable(state, caller, node, wish);
  const id = `${wish.vmid}-${disk}>${target}-${wish.targetDisk}`;
  return startTask(lab, { type: "qmmove", id, node, by: caller, steps: reassignSteps(wish), fault }).upid;
}

/** Removes disks, like deleting them from the config. */
function unlink(call: ApiCall): Later {
  const { lab, state, node, caller, params, fault } = call;
  const { vmid = "", idlist = "", force } = params;
  const update = readUpdate({ ...call, params: { vmid, delete: idlist, ...(force !== undefined && { force }) } });
  return whenDone(lab, startJob(lab, { node, by: caller, steps: updateSteps(state, update), fault }));
}

const AT = "/nodes/:node/qemu/:vmid";
const UNUSED = Array.from({ length: 256 }, (_, n) => `unused${n}`);
const disk: Property = { type: "string", enum: DRIVE_KEYS };
const anyDisk: Property = { type: "string", enum: [...DRIVE_KEYS, ...UNUSED] };
const MOVE: Properties = {
  disk: anyDisk,
  "target-disk": { ...anyDisk, optional: true },
  "target-vmid": { ...VMID, optional: true },
  storage: { ...STORAGE, optional: true },
  format: { type: "string", optional: true, enum: ["raw", "qcow2", "vmdk"] },
  delete: OPTIONAL_BOOLEAN,
  digest: DIGEST,
  "target-digest": DIGEST,
  bwlimit: { type: "integer", optional: true, minimum: 0 },
};
const OF_DISKS = { permission: { privilege: ["/vms/:vmid", "VM.Config.Disk"] } } as const;

export const vmDiskRoutes: Method[] = [
  route(
    "PUT",
    `${AT}/resize`,
    {
      ...OF_DISKS,
      parameters: {
        disk,
        size: { type: "string", pattern: /^\+?\d+(?:\.\d+)?[KMGT]?$/ },
        digest: DIGEST,
        skiplock: OPTIONAL_BOOLEAN,
      },
    },
    resize,
  ),
  route("POST", `${AT}/move_disk`, { ...OF_DISKS, parameters: MOVE }, move),
  route(
    "PUT",
    `${AT}/unlink`,
    { ...OF_DISKS, parameters: { idlist: { type: "string", list: true }, force: OPTIONAL_BOOLEAN } },
    unlink,
  ),
];
