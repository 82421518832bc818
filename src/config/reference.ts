import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { type Key, KeyTable, keyName, platformsWith } from "./key-table.ts";
import { type ConfigPlatform, makesMachines, type PlatformReference, type Platforms, type ReferencePart } from "./platform.ts";
import { ADDON_PARTS, SETTING_PARTS } from "./reference-parts.ts";
import { cells, kindOf, words } from "./reference-words.ts";
import { flatReference } from "./spellings/flat-reference.ts";

/** Generates docs/reference/config.md from the schema: values, defaults and planned keys. */
export function configReference(platforms: Platforms): string {
  return new Reference(new KeyTable(platforms)).text();
}

/** A table of the reference: the keys of one section. */
interface Section {
  readonly title: string;
  readonly path: Path;
  readonly intro: string;
  readonly keys: readonly string[];
}

const NODE: Path = ["nodes", 0];
const SETTINGS: Path = ["defaults", "all"];

/** Returns the link to the table of the reference that a key has of its own, or that has a row for it. */
export function referenceLink(table: KeyTable, path: Path): string {
  const setting = path[0] === "nodes" || path[0] === "defaults" ? [...SETTINGS, ...path.slice(2)] : path;
  for (let end = path.length; end >= 0; end--)
    for (const way of [path, setting]) {
      const candidates = sectionsOf(table).get(table.grammar.schemaAt(way.slice(0, end))) ?? [];
      const found = candidates.find(({ keys }) => end === way.length || keys.includes(String(way[end])));
      if (found) return `docs/reference/config.md#${anchorOf(found.title)}`;
    }
  return "docs/reference/config.md";
}

type SectionsBySchema = ReadonlyMap<unknown, readonly Section[]>;
const knownSections = new WeakMap<KeyTable, SectionsBySchema>();

/** The tables of the reference by the schema of their section. */
function sectionsOf(table: KeyTable): SectionsBySchema {
  const known = knownSections.get(table) ?? bySchema(table);
  knownSections.set(table, known);
  return known;
}

function bySchema(table: KeyTable): SectionsBySchema {
  const all = new Map<unknown, Section[]>();
  for (const section of new Reference(table).sections()) {
    const schema = table.grammar.schemaAt(section.path);
    all.set(schema, [...(all.get(schema) ?? []), section]);
  }
  return all;
}

/** As Markdown viewers make it from a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}

class Reference {
  readonly #parts: readonly PlatformReference[];

  constructor(readonly table: KeyTable) {
    this.#parts = table.platforms.available.flatMap(({ reference }) => reference ?? []);
  }

  text(): string {
    const { platforms } = this.table;
    return [
      headOf(platforms),
      ...this.sections().map((section) => this.#tableOf(section)),
      ...platforms.available.map(({ name, reference }) => `## platform: ${name}\n\n${reference?.rules ?? ""}`),
      flatReference(platforms),
      this.#notYet(),
    ].join("\n");
  }

  sections(): Section[] {
    const settings = this.table.keys(SETTINGS);
    return [
      this.#section("The file", [], "The top-level keys."),
      ...OF_CLUSTER.map((path) => this.#part(path)),
      ...this.#parts.flatMap(({ sections = [] }) => sections.map(([path, intro]) => this.#part(path, intro, path.length === 1))),
      this.#section(
        "nodes[]",
        NODE,
        undefined,
        this.table.keys(NODE).filter((key) => !settings.includes(key)),
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
    ];
  }

  #settingParts(): Section[] {
    const parts = [...SETTING_PARTS, ...this.#parts.flatMap(({ settings = [] }) => settings)];
    return parts.map(([path, intro]) => {
      const only = onlyOn(String(path[0]), this.table.platforms);
      const said = [intro ?? this.#about([...SETTINGS, ...path]), ...(only === undefined ? [] : [only])].join(" ");
      return this.#section(`Setting ${keyName(path)}`, [...SETTINGS, ...path], said);
    });
  }

  #addonParts(): ReferencePart[] {
    const own = this.#parts.flatMap(({ addons = [] }) => addons);
    return this.table.keys(["addons"]).flatMap((key): readonly ReferencePart[] => {
      const parts = own.filter(([path]) => path[0] === key);
      return ADDON_PARTS[key] ?? (parts.length > 0 ? parts : [[[key]]]);
    });
  }

  /** `about`: what the section says of itself comes first. */
  #part(path: Path, intro?: string, about = false): Section {
    const said = about && intro !== undefined ? `${this.#about(path)} ${intro}` : intro;
    return this.#section(keyName(path), path, said);
  }

  #section(title: string, path: Path, intro = this.#about(path), keys = this.table.keys(path)): Section {
    return { title, path, intro, keys };
  }

  #tableOf({ title, path, intro, keys }: Section): string {
    const rows = keys.map((key) => this.#row(key, this.table.at([...path, key])));
    return `## ${title}\n\n${intro}\n\n| key | value | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  }

  #row(name: string, key: Key): string {
    const given = key.json.default === undefined ? key.byDefault : `\`${plain(key.json.default)}\``;
    return cells([`\`${name}\``, shownAs(key), key.required ? "*required*" : (given ?? ""), key.meaning]);
  }

  #notYet(): string {
    const { available } = this.table.platforms;
    const sections = available.flatMap(({ keys }) => Object.keys(keys?.sections ?? {}));
    const settings = this.#parts.flatMap(({ settings: parts = [] }) => parts.map(([path]) => [...NODE, ...path]));
    const places = [...PLACES, ...sections.map((key) => [key]), ["addons"], NODE, [...NODE, "nics", 0], ...settings];
    const keys = places.flatMap((path) => [
      ...this.table.keys(path).flatMap((key) => this.#plannedChoices([...path, key])),
      ...this.table.plannedKeys(path).map((key) => this.#plannedKey([...path, key])),
    ]);
    return `## Not available yet

These keys are planned. Until they are available, they are refused with their line. Settings of a node
are also refused under \`defaults\`.

| key | value | planned meaning | until then |
|---|---|---|---|
${keys.join("\n")}
`;
  }

  #plannedKey(path: Path): string {
    const { name, json, meaning } = this.table.at(path);
    return cells([`\`${name}\``, kindOf(json), meaning.replace(/ Not available yet\.$/, ""), this.table.refusal(path)]);
  }

  /** Words of a choice that are known and refused. */
  #plannedChoices(path: Path): string[] {
    const { name, json, leaf } = this.table.at(path);
    const refused = leaf?.choices ? (json.enum ?? []).filter((word) => !leaf.choices?.includes(word)) : [];
    return refused.map((word) => cells([`\`${name}\``, `\`${word}\``, "One more choice.", this.table.refusal(path, word)]));
  }

  #about = (path: Path) => this.table.at(path).json.description ?? "";
}

/** The words it may be, or its range, or an example: what helps most to write one. */
function shownAs({ json, leaf }: Key): string {
  if (leaf?.choices && json.enum) return words(leaf.choices);
  if (json.type === "boolean") return kindOf(json);
  if (json.type === "integer") return `${json.minimum} to ${json.maximum}`;
  if (json.type === "object") return json.properties ? "a section" : `names and values, such as \`${plain(leaf?.example)}\``;
  if (json.items?.type === "object") return `a list of sections`;
  return `${json.type === "array" ? "a list, " : ""}such as \`${plain(json.type === "string" ? (json.default ?? leaf?.example) : leaf?.example)}\``;
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
- \`talosmith explain KEY\` shows a key in the terminal, with an example: \`talosmith explain cluster.endpoint\`.
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
function onlyOn(key: string, platforms: Platforms): string | undefined {
  const having = platformsWith(key, platforms);
  if (having.length === platforms.available.length) return undefined;
  const names = having.map(({ name }, index) => `\`${index === 0 ? "platform: " : ""}${name}\``);
  return `For ${[names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ")}.`;
}

const plain = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
