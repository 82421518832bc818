import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import * as z from "zod";
import { PREFIX } from "./elsewhere.ts";
import { configJsonSchema } from "./json-schema.ts";
import type { ConfigPlatform, Platforms } from "./platform.ts";
import type { JsonSchema } from "./reference-words.ts";
import { Grammar } from "./schema/grammar.ts";
import { type Leaf, leaves } from "./schema/value.ts";

/** A key of config.yaml: everything that the schema knows of it. */
export interface Key {
  readonly path: Path;
  /** "nodes[].memory" */
  readonly name: string;
  readonly meaning: string;
  readonly json: JsonSchema;
  readonly leaf: Leaf | undefined;
  /** Whether its section must have it. */
  readonly required: boolean;
  /** The default in words: "the gateway". A default value is in `json`. */
  readonly byDefault: string | undefined;
  /** The keys below it that are available. */
  readonly keys: readonly string[];
}

/** Stands for a name that the user chooses. */
const NAME = "NAME";

/** The keys of config.yaml, from the schema: for the reference and for `explain`. */
export class KeyTable {
  readonly grammar: Grammar;
  readonly #whole: JsonSchema;

  constructor(readonly platforms: Platforms) {
    this.grammar = Grammar.of(platforms);
    this.#whole = configJsonSchema(platforms) as JsonSchema;
  }

  at(path: Path): Key {
    const json = this.#jsonAt(path);
    const schema = this.grammar.schemaAt(path);
    const [, meaning = "", byDefault] = /^(.*?)(?: By default (.*)\.)?$/s.exec(json.description ?? "") ?? [];
    const { required = [] } = objectIn(this.#jsonAt(path.slice(0, -1)));
    return {
      path,
      name: keyName(path),
      meaning,
      json,
      leaf: schema && leaves.get(schema),
      required: required.includes(String(path.at(-1))),
      byDefault,
      keys: this.keys(path),
    };
  }

  /** The keys of a section that are available. */
  keys(path: Path): string[] {
    return this.grammar.keysAt(path, "available");
  }

  /** The keys of a section that are planned, and refused until then. */
  plannedKeys(path: Path): string[] {
    const available = this.keys(path);
    return this.grammar.keysAt(path, "all").filter((key) => !available.includes(key));
  }

  /** All keys that are available, each once: a setting of nodes as nodes[].KEY, an entry with a free name as NAME. */
  all(path: Path = []): Key[] {
    return this.keys(path).flatMap((name) => {
      const key = this.at([...path, name]);
      return path[0] === "defaults" ? [key] : [key, ...this.all(this.entry(key.path))];
    });
  }

  /** The place of the keys inside a key: its own, those of an entry of its map, or of an entry of its list. */
  entry(path: Path): Path {
    const { grammar } = this;
    const ways = [path, [...path, NAME], [...path, 0]];
    return ways.find((way) => grammar.keysAt(way, "all").length > 0) ?? path;
  }

  /** Finds a key by its name in any form: "nodes[].memory", "nodes.memory", "nodes[0].memory", "registries.docker.io.mirrors". */
  find(text: string): Path | undefined {
    const words = text.replaceAll(/\[\d*\]|\.$/g, "").split(".");
    return words.includes("") ? undefined : this.#walk([], words);
  }

  #walk(path: Path, words: readonly string[]): Path | undefined {
    const [word, ...rest] = words;
    if (word === undefined) return path;
    const { grammar } = this;
    const keys = grammar.keysAt(path, "all");
    if (keys.length > 0) return keys.includes(word) ? this.#walk([...path, word], rest) : undefined;
    if (!grammar.schemaAt([...path, NAME])) return grammar.schemaAt([...path, 0]) && this.#walk([...path, 0], words);
    // A name of the user may contain dots: docker.io.
    const ways = words.map((_, at) => this.#walk([...path, words.slice(0, at + 1).join(".")], words.slice(at + 1)));
    return ways.find((way) => way !== undefined);
  }

  /** Advice for a planned key, or for a planned word of an available one. */
  refusal(path: Path, word?: string): string {
    const schema = word === undefined ? this.#plannedAt(path)?.out : this.grammar.schemaAt(path);
    const issue = schema && z.safeParse(schema, word).error?.issues.find(({ code }) => code === "custom");
    return String((issue as { params?: { hint?: string } } | undefined)?.params?.hint);
  }

  #plannedAt(path: Path): z.ZodPipe | undefined {
    const parent = path.length === 1 ? this.grammar.schema : this.grammar.schemaAt(path.slice(0, -1));
    const shape: Record<string, unknown> = parent instanceof z.ZodObject ? parent.shape : {};
    const optional = shape[String(path.at(-1))];
    const inner = optional instanceof z.ZodOptional ? optional.unwrap() : optional;
    return inner instanceof z.ZodPipe ? inner : undefined;
  }

  #jsonAt(path: Path): JsonSchema {
    let here = this.#whole;
    for (const step of path) here = below(here, step) ?? {};
    return here;
  }
}

export const keyName = (path: Path) => pathName(path).replaceAll("[0]", "[]");

/** The platforms that have a key. */
export function platformsAt([first, second, third, , fifth]: Path, platforms: Platforms): readonly ConfigPlatform[] {
  const { available } = platforms;
  if ((first === "nodes" || first === "defaults") && typeof third === "string") {
    const having = platformsWith(third, platforms);
    return third === "nics" && typeof fifth === "string" ? owners(having, fifth, ({ keys }) => keys?.nics) : having;
  }
  if (first === "image" && typeof second === "string") return owners(available, second, ({ keys }) => keys?.image);
  if (first === "addons" && typeof second === "string") return owners(available, second, ({ addons }) => addons);
  return typeof first === "string" ? owners(available, first, ({ keys }) => keys?.sections) : available;
}

/** The platforms that have a setting of nodes. */
export function platformsWith(key: string, { available }: Platforms): readonly ConfigPlatform[] {
  if (key === PREFIX) return available.filter(({ network }) => network === "provider");
  const having = available.filter(({ keys }) => !Object.hasOwn(keys?.without ?? {}, key));
  return owners(having, key, ({ keys }) => ({ ...keys?.settings, ...keys?.node }));
}

/** The platforms that add a key, or all where none does: then it is a key of every platform. */
function owners(
  all: readonly ConfigPlatform[],
  key: string,
  added: (platform: ConfigPlatform) => object | undefined,
): readonly ConfigPlatform[] {
  const own = all.filter((platform) => Object.hasOwn(added(platform) ?? {}, key));
  return own.length > 0 ? own : all;
}

/** The schema below a step; of a union, the variant that has this step. */
function below(json: JsonSchema, step: string | number): JsonSchema | undefined {
  for (const shape of [json, ...(json.anyOf ?? [])]) {
    const inner = typeof step === "number" ? shape.items : (shape.properties?.[step] ?? shape.additionalProperties);
    if (typeof inner === "object") return inner;
  }
  return undefined;
}

const objectIn = (json: JsonSchema) => json.anyOf?.find((one) => one.properties) ?? json;
