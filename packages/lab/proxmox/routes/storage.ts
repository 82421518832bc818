import type { Json } from "@talosmith/lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_CONTENTS, OPTIONAL_LIST, OPTIONAL_TEXT, STORAGE } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died } from "../refusal.ts";
import { shuffled } from "../shuffle.ts";
import type { Content, StorageDefinition, StorageType } from "../state.ts";
import { kindOf, STORAGE_TYPES } from "../storage/kinds.ts";
import { isActive, isOn, pathOf, storageNamed, usageOf } from "../storage/storages.ts";
import { contentRoutes } from "./content.ts";
import { type ApiCall, type Method, route } from "./route.ts";

function visible({ state, caller }: ApiCall, id: string): boolean {
  return ["Datastore.Audit", "Datastore.AllocateSpace"].some((right) => mayAt(state, caller, `/storage/${id}`, right));
}

function shown({ lab, state, node }: ApiCall, storage: StorageDefinition, withFormats: boolean): Record<string, Json> {
  const active = isActive(storage, node);
  const { total, used, avail } = active ? usageOf(state, storage, node) : { total: 0, used: 0, avail: 0 };
  return {
    storage: storage.id,
    type: storage.type,
    content: shuffled(lab, `content ${storage.id}`, storage.content).join(","),
    active: active ? 1 : 0,
    enabled: storage.disabled ? 0 : 1,
    shared: storage.shared ? 1 : 0,
    total,
    used,
    avail,
    used_fraction: total === 0 ? 0 : used / total,
    ...(withFormats && {
      formats: { supported: [...kindOf(storage).formats].sort(), default: kindOf(storage).formats[0] as string },
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

function definitionOf(storage: StorageDefinition): Record<string, Json> {
  const { id, type, content, nodes, shared, disabled, sparse } = storage;
  const own = ["vgname", "thinpool", "pool", "server", "export", "share"] as const;
  return {
    storage: id,
    type,
    content: content.join(","),
    ...(kindOf(storage).files && { path: pathOf(storage) }),
    ...Object.fromEntries(own.flatMap((key) => (storage[key] === undefined ? [] : [[key, storage[key]]]))),
    ...(sparse && { sparse: 1 }),
    ...(nodes && { nodes: nodes.join(",") }),
    ...(shared && { shared: 1 }),
    ...(disabled && { disable: 1 }),
  };
}

/** Network storages are always shared; a directory is shared when its definition says so. */
function create({ state, params }: ApiCall): Json {
  const id = params.storage as string;
  if (state.storages.some((storage) => storage.id === id))
    throw died(`create storage failed: storage ID '${id}' already defined`);
  const type = params.type as StorageType;
  const kind = kindOf({ type });
  const { path, vgname, thinpool, pool, server, share } = params;
  const storage: StorageDefinition = {
    id,
    type,
    content: contentsFrom(type, params.content ?? (kind.contents.includes("images") ? "images" : "iso")),
    ...Object.fromEntries(
      Object.entries({ path, vgname, thinpool, pool, server, share, export: params.export }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
    ...(params.sparse === "1" && { sparse: true as const }),
    ...(params.nodes !== undefined && { nodes: splitList(params.nodes) }),
    ...((kind.shared || params.shared === "1") && { shared: true as const }),
    ...(params.disable === "1" && { disabled: true as const }),
    total: NEW_SIZE,
    occupied: 0,
  };
  state.storages.push(storage);
  return { storage: id, type };
}

const NEW_SIZE = 500 * 1024 ** 3;

function contentsFrom(type: StorageType, text: string): Content[] {
  const contents = splitList(text).filter((content) => content !== "none") as Content[];
  for (const content of contents)
    if (!kindOf({ type }).contents.includes(content))
      throw badParameters({ content: `storage does not support content type '${content}'` });
  return contents;
}

function change({ state, params }: ApiCall): Json {
  const storage = storageNamed(state, params.storage as string);
  if (params.content !== undefined) storage.content = contentsFrom(storage.type, params.content);
  if (params.nodes !== undefined) storage.nodes = splitList(params.nodes);
  if (params.disable === "1") storage.disabled = true;
  if (params.disable === "0") delete storage.disabled;
  if (params.shared === "1") storage.shared = true;
  for (const option of splitList(params.delete)) {
    if (option === "nodes") delete storage.nodes;
    if (option === "disable") delete storage.disabled;
    if (option === "shared") delete storage.shared;
  }
  return { storage: storage.id, type: storage.type };
}

/** Removes a storage; its volumes stay on the disks, but are no longer accessible. */
function remove({ state, params }: ApiCall): Json {
  const gone = storageNamed(state, params.storage as string);
  state.storages = state.storages.filter((storage) => storage !== gone);
  return null;
}

const ALL = { user: "all" } as const;
const AT = "/nodes/:node/storage/:storage";
const AUDIT = { anyPrivilege: ["/storage/:storage", "Datastore.Audit", "Datastore.AllocateSpace"] } as const;
const LIST: Properties = {
  content: OPTIONAL_CONTENTS,
  enabled: OPTIONAL_BOOLEAN,
  format: OPTIONAL_BOOLEAN,
  storage: OPTIONAL_TEXT,
  target: OPTIONAL_TEXT,
};

const ADMINISTER = { permission: { privilege: ["/storage", "Datastore.Allocate"] } } as const;
const CHANGE: Properties = {
  content: OPTIONAL_CONTENTS,
  nodes: OPTIONAL_LIST,
  disable: OPTIONAL_BOOLEAN,
  shared: OPTIONAL_BOOLEAN,
};
const type: Property = { type: "string", enum: STORAGE_TYPES };
const CREATE: Properties = {
  ...CHANGE,
  storage: STORAGE,
  type,
  path: OPTIONAL_TEXT,
  vgname: OPTIONAL_TEXT,
  thinpool: OPTIONAL_TEXT,
  pool: OPTIONAL_TEXT,
  server: OPTIONAL_TEXT,
  export: OPTIONAL_TEXT,
  share: OPTIONAL_TEXT,
  sparse: OPTIONAL_BOOLEAN,
};

export const storageRoutes: Method[] = [
  ...contentRoutes,
  route("GET", "/storage", { permission: ALL, parameters: { type: OPTIONAL_TEXT } }, (call) =>
    shuffled(call.lab, "storage", call.state.storages.filter(({ id }) => visible(call, id)).map(definitionOf)),
  ),
  route(
    "GET",
    "/storage/:storage",
    { permission: { privilege: ["/storage/:storage", "Datastore.Allocate"] } },
    ({ state, params }) => definitionOf(storageNamed(state, params.storage as string)),
  ),
  route("POST", "/storage", { ...ADMINISTER, parameters: CREATE }, create),
  route(
    "PUT",
    "/storage/:storage",
    { ...ADMINISTER, parameters: { ...CHANGE, delete: OPTIONAL_TEXT, digest: OPTIONAL_TEXT } },
    change,
  ),
  route("DELETE", "/storage/:storage", ADMINISTER, remove),
  route("GET", "/nodes/:node/storage", { permission: ALL, parameters: LIST }, list),
  route("GET", AT, { permission: AUDIT }, () => ["content", "download-url", "status", "upload"].map((subdir) => ({ subdir }))),
  route("GET", `${AT}/status`, { permission: AUDIT }, status),
];
