import type { Json } from "../../../lib/json.ts";
import { mayAt, requirePrivileges } from "../access/permission.ts";
import { durations } from "../durations.ts";
import { STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { startTask } from "../jobs/upid.ts";
import { whenDoneWithin } from "../jobs/waiting.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT, VMID } from "../parameters/formats.ts";
import type { Properties } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died } from "../refusal.ts";
import { shuffled } from "../shuffle.ts";
import type { Content, StorageDefinition, Volume } from "../state.ts";
import { isOn, storageNamed, usableStorage, usageOf, volumePath, volumesOn } from "../storage/storages.ts";
import { findVolume, parseVolumeId, parseVolumeName, printVolumeId, type VolumeId } from "../storage/volume-id.ts";
import { requireVolumeAccess } from "../vm/drive-parameters.ts";
import { type ApiCall, type Later, type Method, route } from "./route.ts";

function visible({ state, caller }: ApiCall, id: string): boolean {
  return ["Datastore.Audit", "Datastore.AllocateSpace"].some((right) => mayAt(state, caller, `/storage/${id}`, right));
}

function shown({ lab, state, node }: ApiCall, storage: StorageDefinition, withFormats: boolean): Record<string, Json> {
  const active = !storage.disabled;
  const { total, used, avail } = active ? usageOf(state, storage, node) : { total: 0, used: 0, avail: 0 };
  return {
    storage: storage.id,
    type: storage.type,
    content: shuffled(lab, `content ${storage.id}`, storage.content).join(","),
    active: active ? 1 : 0,
    enabled: active ? 1 : 0,
    shared: storage.shared ? 1 : 0,
    total,
    used,
    avail,
    used_fraction: total === 0 ? 0 : used / total,
    ...(withFormats && {
      formats: { supported: storage.type === "lvmthin" ? ["raw"] : ["qcow2", "raw", "subvol", "vmdk"], default: "raw" },
    }),
  };
}

function list(call: ApiCall): Json {
  const { lab, state, node, params } = call;
  const contents = splitList(params.content);
  const wanted = state.storages.filter(
    (storage) =>
      isOn(storage, node) &&
      visible(call, storage.id) &&
      (params.storage === undefined || params.storage === storage.id) &&
      (params.enabled !== "1" || !storage.disabled) &&
      (params.target === undefined || isOn(storage, params.target)) &&
      (contents.length === 0 || contents.some((content) => storage.content.includes(content as Content))),
  );
  return shuffled(
    lab,
    `storages ${node}`,
    wanted.map((storage) => shown(call, storage, params.format === "1")),
  );
}

function status(call: ApiCall): Json {
  const storage = call.state.storages.find(({ id }) => id === call.params.storage);
  if (!storage || !isOn(storage, call.node)) throw badParameters({ storage: "No such storage." });
  const { storage: _, used_fraction: __, ...rest } = shown(call, storage, false);
  return rest;
}

function asListed(volume: Volume): Record<string, Json> {
  return {
    volid: printVolumeId(volume),
    content: volume.content,
    format: volume.format,
    size: volume.size,
    ctime: volume.ctime,
    ...(volume.vmid !== undefined && { vmid: volume.vmid }),
  };
}

/** What somebody may not touch is silently left out. */
function content(call: ApiCall): Json {
  const { lab, state, caller, node, params } = call;
  const storage = usableStorage(state, params.storage as string, node);
  const volumes = volumesOn(state, storage, node).filter(
    (volume) =>
      (params.content === undefined || volume.content === params.content) &&
      (params.vmid === undefined || volume.vmid === Number(params.vmid)) &&
      mayTouch(call, caller, volume),
  );
  return shuffled(lab, `volumes ${node} ${storage.id}`, volumes.map(asListed));
}

function mayTouch({ state }: ApiCall, caller: string, volume: Volume): boolean {
  try {
    requireVolumeAccess(state, caller, undefined, printVolumeId(volume));
    return true;
  } catch {
    return false;
  }
}

/** With or without the storage in front. */
function volumeIdOf({ params }: ApiCall): VolumeId {
  const { storage = "", volume = "" } = params;
  const id = parseVolumeId(volume) ?? { storage, name: volume };
  if (id.storage !== storage) throw badParameters({ volume: `storage ID mismatch (${id.storage} != ${storage})` });
  return id;
}

function attributes(call: ApiCall): Json {
  const { state, caller, node } = call;
  const id = volumeIdOf(call);
  requireVolumeAccess(state, caller, undefined, printVolumeId(id));
  const storage = usableStorage(state, id.storage, node);
  const volume = findVolume(state, node, id);
  if (!volume) throw died(`volume_size_info on '${printVolumeId(id)}' failed - no format`);
  return { path: volumePath(storage, volume), size: volume.size, used: volume.used, format: volume.format };
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
      { lock: storageLock(storage.id), waitMs: STORAGE_WAIT },
      { after: durations.removeVolume },
      { become: "storage.removed", with: { ...id } },
    ],
    fault,
  });
  return params.delay === undefined ? upid : whenDoneWithin(lab, upid, Number(params.delay) * 1000, "");
}

const definitionOf = (storage: StorageDefinition): Record<string, Json> => ({
  storage: storage.id,
  type: storage.type,
  content: storage.content.join(","),
  ...(storage.path !== undefined && { path: storage.path }),
  ...(storage.vgname !== undefined && { vgname: storage.vgname }),
  ...(storage.thinpool !== undefined && { thinpool: storage.thinpool }),
  ...(storage.nodes && { nodes: storage.nodes.join(",") }),
  ...(storage.shared && { shared: 1 }),
  ...(storage.disabled && { disable: 1 }),
});

function change({ state, params }: ApiCall): Json {
  const storage = storageNamed(state, params.storage as string);
  if (params.content !== undefined) storage.content = splitList(params.content) as Content[];
  if (params.nodes !== undefined) storage.nodes = splitList(params.nodes);
  if (params.disable === "1") storage.disabled = true;
  if (params.disable === "0") delete storage.disabled;
  for (const option of splitList(params.delete)) {
    if (option === "nodes") delete storage.nodes;
    if (option === "disable") delete storage.disabled;
  }
  return { storage: storage.id, type: storage.type };
}

const ALL = { user: "all" } as const;
const AT = "/nodes/:node/storage/:storage";
const AUDIT = { anyPrivilege: ["/storage/:storage", "Datastore.Audit", "Datastore.AllocateSpace"] } as const;
const LIST: Properties = {
  content: OPTIONAL_LIST,
  enabled: OPTIONAL_BOOLEAN,
  format: OPTIONAL_BOOLEAN,
  storage: OPTIONAL_TEXT,
  target: OPTIONAL_TEXT,
};

export const storageRoutes: Method[] = [
  route("GET", "/storage", { permission: ALL, parameters: { type: OPTIONAL_TEXT } }, (call) =>
    shuffled(call.lab, "storage", call.state.storages.filter(({ id }) => visible(call, id)).map(definitionOf)),
  ),
  route(
    "GET",
    "/storage/:storage",
    { permission: { privilege: ["/storage/:storage", "Datastore.Allocate"] } },
    ({ state, params }) => definitionOf(storageNamed(state, params.storage as string)),
  ),
  route(
    "PUT",
    "/storage/:storage",
    {
      permission: { privilege: ["/storage", "Datastore.Allocate"] },
      parameters: {
        content: OPTIONAL_LIST,
        nodes: OPTIONAL_TEXT,
        disable: OPTIONAL_BOOLEAN,
        delete: OPTIONAL_TEXT,
        digest: OPTIONAL_TEXT,
      },
    },
    change,
  ),
  route("GET", "/nodes/:node/storage", { permission: ALL, parameters: LIST }, list),
  route("GET", AT, { permission: AUDIT }, () => ["content", "download-url", "status", "upload"].map((subdir) => ({ subdir }))),
  route("GET", `${AT}/status`, { permission: AUDIT }, status),
  route(
    "GET",
    `${AT}/content`,
    { permission: AUDIT, parameters: { content: OPTIONAL_LIST, vmid: { ...VMID, optional: true } } },
    content,
  ),
  route("GET", `${AT}/content/*volume`, { permission: ALL }, attributes),
  route(
    "DELETE",
    `${AT}/content/*volume`,
    { permission: ALL, parameters: { delay: { type: "integer", optional: true, minimum: 1, maximum: 30 } } },
    remove,
  ),
];
