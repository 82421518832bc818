import type { Path } from "@talosmith/lib/yaml/tree.ts";
import type * as z from "zod";
import type { Platforms } from "../platform.ts";
import { configSchema } from "./schema.ts";
import { child, isPlanned, shapeOf, withoutWrappers } from "./walk.ts";

/** The schema of files for any of these platforms, and how to find a key in it. */
export class Grammar {
  readonly schema: ReturnType<typeof configSchema>;

  private constructor(readonly platforms: Platforms) {
    this.schema = configSchema(platforms);
  }

  static #known = new WeakMap<Platforms, Grammar>();

  /** Cached, because building the schema takes longer than reading a file. */
  static of(platforms: Platforms): Grammar {
    const grammar = Grammar.#known.get(platforms) ?? new Grammar(platforms);
    Grammar.#known.set(platforms, grammar);
    return grammar;
  }

  schemaAt(path: Path): z.core.$ZodType | undefined {
    let here: z.core.$ZodType | undefined = this.schema;
    for (const step of path) here = here === undefined ? undefined : child(here, step);
    return here === undefined ? undefined : withoutWrappers(here);
  }

  /** The keys of a section, optionally with the planned ones. */
  keysAt(path: Path, which: "available" | "all"): string[] {
    const schema = this.schemaAt(path);
    const shape = schema === undefined ? undefined : shapeOf(schema);
    return Object.keys(shape ?? {}).filter((key) => which === "all" || !isPlanned(shape?.[key]));
  }

  /** The paths of all keys that messages name; items of lists are the first. */
  places(): Path[] {
    return this.#sections().flatMap((path) => this.keysAt(path, "all").map((key) => [...path, key]));
  }

  #sections(): Path[] {
    const parts = this.platforms.available.flatMap(({ reference }) => reference ?? []);
    return [
      ...TOP,
      ...parts.flatMap(({ sections = [] }) => sections.map(([path]) => path)),
      ["nodes", 0],
      ...parts.flatMap(({ settings = [] }) => settings.map(([path]) => ["nodes", 0, ...path])),
      ...BELOW,
      ...parts.flatMap(({ addons = [] }) => addons.map(([path]) => ["addons", ...path])),
      ["maintenance"],
      ["backup"],
      ["verify"],
    ];
  }
}

const TOP: readonly Path[] = [[], ["cluster"], ["network"], ["network", "ssh"], ["network", "proxy"], ["image"]];
const BELOW: readonly Path[] = [
  ["nodes", 0, "bond"],
  ["nodes", 0, "volumes", 0],
  ["patches"],
  ["registries", "docker.io"],
  ["firewall"],
  ["firewall", "open", 0],
  ["wireguard"],
  ["addons"],
  ...["cilium", "flux", "longhorn", "monitoring"].map((key): Path => ["addons", key]),
  ["addons", "cilium", "loadBalancer"],
  ["addons", "charts", 0],
];
