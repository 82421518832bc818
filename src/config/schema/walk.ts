import type { Path } from "@talosmith/lib/yaml/tree.ts";
import * as z from "zod";
import { configSchema } from "./schema.ts";

/** Finding one's way in the schema by the path of a value, for messages. */

export function schemaAt(path: Path): z.core.$ZodType | undefined {
  let here: z.core.$ZodType | undefined = configSchema;
  for (const step of path) here = here === undefined ? undefined : child(here, step);
  return here === undefined ? undefined : bare(here);
}

/** The keys a section knows; those that are refused for now only on request. */
export function keysAt(path: Path, which: "available" | "all"): string[] {
  const schema = schemaAt(path);
  const shape = schema === undefined ? undefined : shapeOf(schema);
  return Object.keys(shape ?? {}).filter((key) => which === "all" || !isPlanned(shape?.[key]));
}

/** Other places that know this key: "cluster.talos". */
export function placesOfKey(key: string): string[] {
  const places: string[] = [];
  for (const [path, name] of SECTIONS) if (keysAt(path, "all").includes(key)) places.push(name === "" ? key : `${name}.${key}`);
  return places;
}

const SECTIONS: readonly [Path, string][] = [
  [[], ""],
  [["cluster"], "cluster"],
  [["network"], "network"],
  [["network", "ssh"], "network.ssh"],
  [["network", "proxy"], "network.proxy"],
  [["image"], "image"],
  [["proxmox"], "proxmox"],
  [["proxmox", "storage"], "proxmox.storage"],
  [["proxmox", "ssh"], "proxmox.ssh"],
  [["vps"], "vps"],
  [["vps", "provider"], "vps.provider"],
  [["nodes", 0], "nodes[]"],
  [["nodes", 0, "ssh"], "nodes[].ssh"],
  [["nodes", 0, "bond"], "nodes[].bond"],
  [["nodes", 0, "volumes", 0], "nodes[].volumes[]"],
  [["nodes", 0, "disks", 0], "nodes[].disks[]"],
  [["nodes", 0, "diskFlags"], "nodes[].diskFlags"],
  [["patches"], "patches"],
  [["registries", "docker.io"], "registries[]"],
  [["firewall"], "firewall"],
  [["firewall", "open", 0], "firewall.open[]"],
  [["wireguard"], "wireguard"],
  [["addons"], "addons"],
  ...["cilium", "flux", "longhorn", "monitoring", "proxmoxCsi"].map((key): [Path, string] => [["addons", key], `addons.${key}`]),
  [["addons", "cilium", "loadBalancer"], "addons.cilium.loadBalancer"],
  [["addons", "charts", 0], "addons.charts[]"],
  [["maintenance"], "maintenance"],
  [["backup"], "backup"],
  [["verify"], "verify"],
];

function child(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray) return typeof step === "number" ? inner.element : undefined;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  if (inner instanceof z.ZodUnion) return inner.options.map((option) => child(option, step)).find((found) => found !== undefined);
  const shape = shapeOf(inner);
  return shape !== undefined && Object.hasOwn(shape, step) ? shape[step] : undefined;
}

function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> | undefined {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) return inner.shape;
  if (inner instanceof z.ZodUnion) return inner.options.map((option) => shapeOf(option)).find((shape) => shape !== undefined);
  return undefined;
}

/** Without the wrappers that say "may be absent" and "is refused for now". */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return bare(schema.unwrap());
  if (schema instanceof z.ZodPipe) return bare(schema.in);
  return schema;
}

function isPlanned(schema: z.core.$ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional ? isPlanned(schema.unwrap()) : schema instanceof z.ZodPipe;
}
