import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import * as z from "zod";
import { configJsonSchema } from "./json-schema.ts";
import { type ConfigPlatform, makesMachines, type PlatformReference, type Platforms, type ReferencePart } from "./platform.ts";
import { ADDON_PARTS, SETTING_PARTS } from "./reference-parts.ts";
import { cells, type JsonSchema, kindOf, words } from "./reference-words.ts";
import { Grammar } from "./schema/grammar.ts";
import { type Leaf, leaves } from "./schema/value.ts";
import { flatReference } from "./spellings/flat-reference.ts";

/** Generates docs/reference/config.md from the schema: values, defaults and planned keys. */
export function configReference(platforms: Platforms): string {
  return new Reference(platforms).text();
}

const NODE: Path = ["nodes", 0];
const SETTINGS: Path = ["defaults", "all"];

class Reference {
  readonly #grammar: Grammar;
  readonly #whole: JsonSchema;
  readonly #parts: readonly PlatformReference[];

  constructor(readonly platforms: Platforms) {
    this.#grammar = Grammar.of(platforms);
    this.#whole = configJsonSchema(platforms) as JsonSchema;
    this.#parts = platforms.available.flatMap(({ reference }) => reference ?? []);
  }

  text(): string {
    const settings = this.#keys(SETTINGS);
    return [
      headOf(this.platforms),
      this.#section("The file", [], "The top-level keys."),
      ...OF_CLUSTER.map((path) => this.#part(path)),
      ...this.#parts.flatMap(({ sections = [] }) => sections.map(([path, intro]) => this.#part(path, intro, path.length === 1))),
      this.#section(
        "nodes[]",
        NODE,
        undefined,
        this.#keys(NODE).filter((key) => !settings.includes(key)),
      ),
      this.#section("Settings of a node", SETTINGS, `${this.#about(["defaults"])} ${SETTINGS_INTRO}`),
      ...this.#settingParts(),
      this.#part(["patches"]),
      this.#section("registries", ["registries", "docker.io"], this.#about(["registries"])),
      this.#part(["firewall"]),
      this.#part(["firewall", "open", 0], "A rule for other traffic to allow."),
      this.#part(["wireguard"]),
      this.#part(["wireguard", "peers", 0]),
      this.#part(["addons"]),
      ...this.#addonParts().map(([path, intro]) => this.#part(["addons", ...path], intro)),
      ...[["maintenance"], ["backup"], ["verify"]].map((path) => this.#part(path)),
      ...this.platforms.available.map(({ name, reference }) => `## platform: ${name}\n\n${reference?.rules ?? ""}`),
      flatReference(this.platforms),
      this.#notYet(),
    ].join("\n");
  }

  #settingParts(): string[] {
    const parts = [...SETTING_PARTS, ...this.#parts.flatMap(({ settings = [] }) => settings)];
    return parts.map(([path, intro]) => {
      const only = onlyOn(String(path[0]), this.platforms);
      const said = [intro ?? this.#about([...SETTINGS, ...path]), ...(only === undefined ? [] : [only])].join(" ");
      return this.#section(`Setting ${titleOf(path)}`, [...SETTINGS, ...path], said);
    });
  }

  #addonParts(): ReferencePart[] {
    const own = this.#parts.flatMap(({ addons = [] }) => addons);
    return this.#keys(["addons"]).flatMap((key): readonly ReferencePart[] => {
      const parts = own.filter(([path]) => path[0] === key);
      return ADDON_PARTS[key] ?? (parts.length > 0 ? parts : [[[key]]]);
    });
  }

  /** `about`: what the section says of itself comes first. */
  #part(path: Path, intro?: string, about = false): string {
    const said = about && intro !== undefined ? `${this.#about(path)} ${intro}` : intro;
    return this.#section(titleOf(path), path, said);
  }

  #section(title: string, path: Path, intro = this.#about(path), keys = this.#keys(path)): string {
    const { required = [] } = objectIn(this.#jsonAt(path));
    const rows = keys.map((key) => this.#row(path, key, required.includes(key)));
    return `## ${title}\n\n${intro}\n\n| key | value | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  }

  #row(path: Path, key: string, required: boolean): string {
    const json = this.#jsonAt([...path, key]);
    const [, text = "", byDefault] = /^(.*?)(?: By default (.*)\.)?$/s.exec(json.description ?? "") ?? [];
    const given = json.default === undefined ? byDefault : `\`${plain(json.default)}\``;
    return cells([`\`${key}\``, this.#shownAs([...path, key], json), required ? "*required*" : (given ?? ""), text]);
  }

  /** The words it may be, or its range, or an example: what helps most to write one. */
  #shownAs(path: Path, json: JsonSchema): string {
    const leaf = this.#leaf(path);
    if (leaf?.choices && json.enum) return words(leaf.choices);
    if (json.type === "boolean") return kindOf(json);
    if (json.type === "integer") return `${json.minimum} to ${json.maximum}`;
    if (json.type === "object") return json.properties ? "a section" : `names and values, such as \`${plain(leaf?.example)}\``;
    if (json.items?.type === "object") return `a list of sections`;
    return `${json.type === "array" ? "a list, " : ""}such as \`${plain(json.type === "string" ? (json.default ?? leaf?.example) : leaf?.example)}\``;
  }

  #notYet(): string {
    const sections = this.platforms.available.flatMap(({ keys }) => Object.keys(keys?.sections ?? {}));
    const settings = this.#parts.flatMap(({ settings: parts = [] }) => parts.map(([path]) => [...NODE, ...path]));
    const places = [...PLACES, ...sections.map((key) => [key]), ["addons"], NODE, [...NODE, "nics", 0], ...settings];
    const keys = places.flatMap((path) => {
      const available = this.#keys(path);
      const planned = this.#grammar.keysAt(path, "all").filter((key) => !available.includes(key));
      return [
        ...available.flatMap((key) => this.#plannedChoices([...path, key])),
        ...planned.map((key) => this.#plannedKey([...path, key])),
      ];
    });
    return `## Not available yet

These keys are planned. Until they are available, they are refused with their line. Settings of a node
are also refused under \`defaults\`.

| key | value | planned meaning | until then |
|---|---|---|---|
${keys.join("\n")}
`;
  }

  #plannedKey(path: Path): string {
    const json = this.#jsonAt(path);
    const what = (json.description ?? "").replace(/ Not available yet\.$/, "");
    return cells([`\`${titleOf(path)}\``, kindOf(json), what, refusalOf(this.#pipeAt(path)?.out, undefined)]);
  }

  /** Words of a choice that are known and refused. */
  #plannedChoices(path: Path): string[] {
    const choices = this.#leaf(path)?.choices;
    const refused = choices ? (this.#jsonAt(path).enum ?? []).filter((word) => !choices.includes(word)) : [];
    const schema = this.#grammar.schemaAt(path);
    return refused.map((word) => cells([`\`${titleOf(path)}\``, `\`${word}\``, "One more choice.", refusalOf(schema, word)]));
  }

  #pipeAt(path: Path): z.ZodPipe | undefined {
    const parent = path.length === 1 ? this.#grammar.schema : this.#grammar.schemaAt(path.slice(0, -1));
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

  #leaf(path: Path): Leaf | undefined {
    const schema = this.#grammar.schemaAt(path);
    return schema && leaves.get(schema);
  }

  #keys = (path: Path) => this.#grammar.keysAt(path, "available");
  #about = (path: Path) => this.#jsonAt(path).description ?? "";
}

/** Places that may have planned keys. */
const PLACES: readonly Path[] = [[], ["cluster"], ["network"], ["image"]];

const OF_CLUSTER: readonly Path[] = [
  ["cluster"],
  ["cluster", "talosApiAccess"],
  ["network"],
  ["network", "ssh"],
  ["network", "proxy"],
  ["image"],
];

const SETTINGS_INTRO =
  "Each may be set on a node of `nodes`, or under `defaults.all`, `defaults.controlplane` or `defaults.worker`.";

function headOf({ available }: Platforms): string {
  const links = available.map(({ name }) => `[environments/${name}-example](../../environments/${name}-example/config.yaml)`);
  const files = [links.slice(0, -1).join(",\n"), ...links.slice(-1)].filter(Boolean).join(" and ");
  return `# Reference of config.yaml

Generated from the schema by a test; do not edit. ${files} show the same keys in use. The whole file is checked before anything is contacted, and every problem is reported with its line and a hint.

- Any value may be \`\${env:NAME}\`, an environment variable, or \`\${file:PATH}\`, a file; the path is relative to the environment's folder.
- Sizes have a unit: \`MiB\`, \`GiB\` or \`TiB\`.
- *required* in the column *default* means that the key is required in its section.
- *at a provider* means on ${namesOf(available.filter(({ network }) => network === "provider"))}. talosmith creates machines on ${namesOf(available.filter(makesMachines))}; they exist already on ${namesOf(available.filter((one) => !makesMachines(one)))}.
`;
}

function namesOf(platforms: readonly ConfigPlatform[]): string {
  const names = platforms.map(({ name }) => `\`platform: ${name}\``);
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");
}

/** Which platforms have a setting that not all have. */
function onlyOn(key: string, { available }: Platforms): string | undefined {
  const owner = available.find(({ keys }) => Object.hasOwn(keys?.settings ?? {}, key));
  const having = owner === undefined ? available.filter(({ keys }) => !Object.hasOwn(keys?.without ?? {}, key)) : [owner];
  if (having.length === available.length) return undefined;
  const names = having.map(({ name }, index) => `\`${index === 0 ? "platform: " : ""}${name}\``);
  return `For ${[names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ")}.`;
}

const titleOf = (path: Path) => pathName(path).replaceAll("[0]", "[]");

/** The schema's hint for a planned key or word. */
function refusalOf(schema: z.core.$ZodType | undefined, value: unknown): string {
  const issue = schema && z.safeParse(schema, value).error?.issues.find(({ code }) => code === "custom");
  return String((issue as { params?: { hint?: string } } | undefined)?.params?.hint);
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
const plain = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
