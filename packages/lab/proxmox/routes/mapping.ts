import { createHash } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { mayAt } from "../access/permission.ts";
import {
  DIR_ENTRY,
  entriesFor,
  PCI_ENTRY,
  requireFolder,
  requireValidPci,
  requireValidUsb,
  USB_ENTRY,
} from "../devices/mapping.ts";
import { requireReachable } from "../hosts.ts";
import { configId, DIGEST, NODE, OPTIONAL_BOOLEAN, OPTIONAL_LIST, propertyString } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import { itemsOf, splitList } from "../parameters/schema.ts";
import { died, SimulatedError } from "../refusal.ts";
import { type Host, hostNamed, type Mapping, type ProxmoxState } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

/** Mappings of PCI devices, USB devices and folders (docs/facts/proxmox.md#devices): they differ in the fields and checks of an entry. */
interface MappingType {
  name: "pci" | "usb" | "dir";
  /** The name in error messages. */
  noun: string;
  entry: Properties;
  options: Properties;
  requireValid(host: Host, id: string, entry: Record<string, string>, mapping: Mapping, state: ProxmoxState): void;
}

const description: Property = { type: "string", optional: true, maxLength: 4096 };
const KINDS: readonly MappingType[] = [
  {
    name: "pci",
    noun: "hardware",
    entry: PCI_ENTRY,
    options: { description, mdev: OPTIONAL_BOOLEAN, "live-migration-capable": OPTIONAL_BOOLEAN },
    requireValid: requireValidPci,
  },
  { name: "usb", noun: "hardware", entry: USB_ENTRY, options: { description }, requireValid: requireValidUsb },
  {
    name: "dir",
    noun: "directory",
    entry: DIR_ENTRY,
    options: { description },
    requireValid: (host, _id, entry, _mapping, state) => requireFolder(state, host, entry),
  },
];

const SEE = ["Mapping.Modify", "Mapping.Use", "Mapping.Audit"];

/** Digest of the file with all mappings of a type. */
function digestOf(state: ProxmoxState, { name }: MappingType): string {
  return createHash("sha1").update(JSON.stringify(state.mappings[name])).digest("hex");
}

function shown(state: ProxmoxState, kind: MappingType, mapping: Mapping): Record<string, Json> {
  return {
    type: kind.name,
    map: [...mapping.map],
    ...(mapping.description !== undefined && { description: mapping.description }),
    ...(mapping.mdev !== undefined && { mdev: mapping.mdev ? 1 : 0 }),
    ...(mapping.liveMigration !== undefined && { "live-migration-capable": mapping.liveMigration ? 1 : 0 }),
    digest: digestOf(state, kind),
  };
}

function list(kind: MappingType, { state, caller, params, entry }: ApiCall): Json {
  const asked = params["check-node"];
  const node = asked === "localhost" ? entry : asked;
  if (node !== undefined) requireReachable(state, entry, node);
  return Object.entries(state.mappings[kind.name])
    .filter(([id]) => SEE.some((right) => mayAt(state, caller, `/mapping/${kind.name}/${id}`, right)))
    .map(([id, mapping]) => ({
      id,
      ...shown(state, kind, mapping),
      ...(node !== undefined && { checks: checks(state, kind, id, mapping, node) }),
    }));
}

function checks(state: ProxmoxState, kind: MappingType, id: string, mapping: Mapping, node: string): Json[] {
  const host = hostNamed(state, node);
  const entries = entriesFor(mapping, kind.entry, node);
  if (!host || entries.length === 0) return [{ severity: "warning", message: `No mapping for node ${node}.` }];
  return entries.flatMap((entry) => {
    try {
      kind.requireValid(host, id, entry, mapping, state);
      return [];
    } catch (error) {
      if (!(error instanceof SimulatedError)) throw error;
      return [{ severity: "error", message: `Invalid configuration: ${error.message}\n` }];
    }
  });
}

function one(kind: MappingType, { state, params }: ApiCall): Json {
  const mapping = state.mappings[kind.name][params.id ?? ""];
  if (!mapping) throw died(`mapping '${params.id}' not found`);
  return shown(state, kind, mapping);
}

function create(kind: MappingType, { state, params, entry }: ApiCall): Json {
  const id = params.id as string;
  requireOwnFolders(state, kind, params.map, entry);
  if (state.mappings[kind.name][id]) throw died(`create ${kind.noun} mapping failed: ${kind.name} ID '${id}' already defined`);
  state.mappings[kind.name][id] = { map: [], ...given(params) };
  return null;
}

/** A folder must exist on the queried host, and each host has at most one; devices are checked only when a machine starts. */
function requireOwnFolders(state: ProxmoxState, { name, entry }: MappingType, map: string | undefined, node: string): void {
  if (name !== "dir") return;
  const entries = itemsOf(map).map((text) => parsePropertyString(entry, text, "map"));
  const host = hostNamed(state, node);
  for (const one of entries) if (host && one.node === node) requireFolder(state, host, one);
  for (const one of new Set(entries.map(({ node }) => node))) {
    const count = entries.filter(({ node }) => node === one).length;
    if (count > 1) throw died(`Node '${one}' is specified ${count} times.`);
  }
}

function given(params: Record<string, string>): Partial<Mapping> {
  return {
    ...(params.map !== undefined && { map: itemsOf(params.map) }),
    ...(params.description !== undefined && { description: params.description }),
    ...(params.mdev !== undefined && { mdev: params.mdev === "1" }),
    ...(params["live-migration-capable"] !== undefined && { liveMigration: params["live-migration-capable"] === "1" }),
  };
}

function change(kind: MappingType, { state, params, entry }: ApiCall): Json {
  const failed = (why: string) => died(`update ${kind.noun} mapping failed: ${why}`);
  if (params.digest !== undefined && params.digest !== digestOf(state, kind))
    throw failed("detected modified configuration - file changed by other user? Try again.");
  const mapping = state.mappings[kind.name][params.id ?? ""];
  if (!mapping) throw failed(`${kind.name} ID '${params.id}' does not exist`);
  try {
    requireOwnFolders(state, kind, params.map, entry);
  } catch (error) {
    throw error instanceof SimulatedError ? failed(error.message) : error;
  }
  for (const key of splitList(params.delete)) {
    if (key === "map") throw failed("unable to delete required option 'map'");
    delete mapping[key === "live-migration-capable" ? "liveMigration" : (key as "description" | "mdev")];
  }
  Object.assign(mapping, given(params));
  return null;
}

function remove(kind: MappingType, { state, params }: ApiCall): Json {
  delete state.mappings[kind.name][params.id ?? ""];
  return null;
}

function routesOf(kind: MappingType): Method[] {
  const at = `/cluster/mapping/${kind.name}`;
  const map: Property = { type: "string", array: true, format: propertyString(kind.entry) };
  const id: Property = { type: "string", format: configId };
  const modify = { privilege: [`/mapping/${kind.name}`, "Mapping.Modify"] } as const;
  const see = { or: SEE.map((right) => ({ privilege: [`/mapping/${kind.name}/:id`, right] as const })) };
  const changes: Properties = { ...kind.options, map: { ...map, optional: true }, delete: OPTIONAL_LIST, digest: DIGEST };
  return [
    route("GET", at, { permission: { user: "all" }, parameters: { "check-node": { ...NODE, optional: true } } }, (call) =>
      list(kind, call),
    ),
    route("POST", at, { permission: modify, parameters: { id, ...kind.options, map } }, (call) => create(kind, call)),
    route("GET", `${at}/:id`, { permission: see }, (call) => one(kind, call)),
    route(
      "PUT",
      `${at}/:id`,
      { permission: { privilege: [`/mapping/${kind.name}/:id`, "Mapping.Modify"] }, parameters: changes },
      (call) => change(kind, call),
    ),
    route("DELETE", `${at}/:id`, { permission: modify }, (call) => remove(kind, call)),
  ];
}

export const mappingRoutes: Method[] = [
  route("GET", "/cluster/mapping", { permission: { user: "all" } }, () => KINDS.map(({ name }) => ({ name }))),
  ...KINDS.flatMap(routesOf),
];
