import { Decoder, type TypeProblem } from "./decode.ts";
import { ConfigRefused, type RawValue, rawDocuments } from "./raw.ts";
import { type Schema, schemaOf } from "./schema.ts";
import { nullProblems, unknownKeysProblem } from "./unknown-keys.ts";
import { at, type ConfigDocument, type Fields, isFields, quoted, word } from "./values.ts";

/** Keys that mark a document as the one without a kind. */
const OLD_FORM = ["machine", "cluster", "debug", "persist"];

/** Parses a config as Talos of this minor version does: strictly. */
export function readDocuments(text: string, minor: number): ConfigDocument[] {
  const schema = schemaOf(minor);
  const documents: ConfigDocument[] = [];
  const seen = new Set<string>();
  for (const { line, value } of rawDocuments(text, minor)) {
    if (value.is === "scalar" && value.tag === "!!null") continue;
    if (value.is !== "map") throw new ConfigRefused(`expected a YAML document at line ${line}`);
    const kind = scalarAt(value, "kind") || "v1alpha1";
    const name = scalarAt(value, "name");
    const id = `${scalarAt(value, "apiVersion")}/${kind}/${name}`;
    if (seen.has(id)) throw new ConfigRefused(`duplicate document ${id} is not allowed (line ${line})`);
    seen.add(id);
    try {
      const fields = decoded(value, schema, minor);
      documents.push({ kind, name: word(fields.name), fields });
    } catch (refused) {
      if (!(refused instanceof ConfigRefused)) throw refused;
      throw new ConfigRefused(`error decoding document ${id} (line ${line}): ${refused.message}`);
    }
  }
  if (documents.length === 0) throw new ConfigRefused("config not found");
  const clash = clashOf(documents, minor);
  if (clash !== undefined) throw new ConfigRefused(clash);
  return documents;
}

/** The scalar at a key as written; "" for a scalar with the excluded tag. */
function scalarAt(value: RawValue & { is: "map" }, key: string, without?: string): string {
  const found = value.entries.find((entry) => entry.key === key)?.value;
  return found?.is === "scalar" && found.tag !== without ? found.text : "";
}

function decoded(value: RawValue & { is: "map" }, schema: Schema, minor: number): Fields {
  for (const [key, name] of [
    ["kind", "kind"],
    ["apiVersion", "version"],
  ] as const) {
    const decoder = new Decoder(schema, minor);
    const found = value.entries.find((entry) => entry.key === key)?.value;
    if (found) decoder.decode(found, "string");
    if (decoder.problems.length > 0) throw new ConfigRefused(`${name} decode: ${problemsText(decoder.problems, minor)}`);
  }
  const kind = scalarAt(value, "kind", "!!null");
  const oldForm = value.entries.some(({ key }) => OLD_FORM.includes(key));
  const apiVersion = oldForm ? "v1alpha1" : scalarAt(value, "apiVersion", "!!null");
  if (kind === "" && apiVersion !== "v1alpha1") throw new ConfigRefused("missing kind");
  if (apiVersion === "") throw new ConfigRefused("missing apiVersion");
  const type = apiVersion === "v1alpha1" ? schema.kinds.get(kind === "" ? "v1alpha1" : kind) : undefined;
  if (type === undefined) throw new ConfigRefused(`"${kind}" "${apiVersion}": not registered`);
  const decoder = new Decoder(schema, minor);
  const fields = decoder.decode(value, type);
  if (decoder.problems.length > 0) {
    throw new ConfigRefused(`error decoding ${kind} to *${type}: ${problemsText(decoder.problems, minor)}`);
  }
  const problem = unknownKeysProblem(schema, type, value, minor);
  if (problem !== undefined) throw new ConfigRefused(problem);
  const nulls = minor > 13 ? nullProblems(schema, type, value) : [];
  if (nulls.length > 0) throw new ConfigRefused(nulls.join("\n"));
  return isFields(fields) ? fields : {};
}

/** The three formats of go-yaml's releases. */
function problemsText(problems: readonly TypeProblem[], minor: number): string {
  const lines = problems.map(({ line, text }) => `line ${line}: ${text}`);
  if (minor > 13) return `yaml: construct errors: ${lines.join("; ")}`;
  return [`yaml: ${minor > 12 ? "construct" : "unmarshal"} errors:`, ...lines].join("\n  ");
}

const LINKS = [
  "BondConfig",
  "BridgeConfig",
  "DummyLinkConfig",
  "LinkConfig",
  "VethConfig",
  "VLANConfig",
  "VRFConfig",
  "WireguardConfig",
];

/** Kinds that share a name space: only one of them may use a name. */
const RIVALS: readonly (readonly string[])[] = [
  LINKS,
  ["Layer2VIPConfig", "HCloudVIPConfig"],
  ["UserVolumeConfig", "ExistingVolumeConfig"],
];

/** The conflict between documents that are valid separately. */
function clashOf(documents: readonly ConfigDocument[], minor: number): string | undefined {
  const claimed = new Map<string, string>();
  for (const [index, { kind, name, fields }] of documents.entries()) {
    const rivals = RIVALS.find((kinds) => kinds.includes(kind)) ?? [];
    const earlier = documents
      .slice(0, index)
      .find((other) => other.kind !== kind && other.name === name && rivals.includes(other.kind));
    if (earlier) return `conflicting documents: ${earlier.kind}/${name} and ${kind}/${name}`;
    if (minor < 14 || !LINKS.includes(kind)) continue;
    for (const link of [name, ...(kind === "VethConfig" ? [word(at(fields, "peer.name"))] : [])]) {
      const owner = claimed.get(link);
      if (owner !== undefined)
        return `conflicting link configurations: ${owner} and ${kind}/${name} both configure ${quoted(link)}`;
      claimed.set(link, `${kind}/${name}`);
    }
  }
  return undefined;
}
