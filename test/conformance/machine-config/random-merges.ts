import type { Json } from "@talosmith/lib/json.ts";
import { type Field, fieldsOf, kindsOf, type Plain } from "../../../src/talos/config/fields/field.ts";
import { type Minor, ORIGINAL } from "../../../src/talos/config/fields/kinds.ts";

type Document = Record<string, Json>;
type Chance = (below: number) => number;

/** Few values for each word, empty ones among them, so that a config and a patch often have something to do with each other. */
const VALUES: Readonly<Record<string, readonly Json[]>> = {
  text: ["a", "b", ""],
  bool: [true, false],
  duration: ["0s", "1m0s", "30s"],
  address: ["10.0.0.1", "fd00::1"],
  prefix: ["10.0.0.0/24", "fd00::/64"],
  "address:port": ["10.0.0.1:51820", "[fd00::1]:51820"],
  mac: ["aa:bb:cc:00:11:22", "aa:bb:cc:00:11:33"],
  expression: ["true", "false"],
  url: ["https://a:6443/x", "https://b", "http://c?d=e", "https://d/y#z"],
  ports: [1, "2-3"],
  bytes: ["1GB", "2GiB"],
  // Not a share: where Talos ignores that one, we do not (fields/README.md of the config).
  size: ["1GB", "2GiB"],
  "disk size": ["1 GB", "2 GB"],
  "size condition": [">= 1GB", "2GB"],
  base64: ["YQ==", "Yg=="],
  certificate: [{ crt: "YQ==" }, { crt: "Yg==" }],
  "certificate+key": [{ crt: "YQ==", key: "Yg==" }, { crt: "Yg==" }],
  key: [{ key: "YQ==" }, { key: "Yg==" }],
  argument: ["a", "b", ["a", "b"], ["c"]],
  "fail over": ["none", "active"],
  table: ["main", "100", "unspec"],
  free: ["a", "b", "", 1, 2, 0, 1.5, true, false, ["a"], ["b"], { a: 1 }, { a: 2, b: "c" }, { b: "" }, { a: { a: 1 } }],
};
const NUMBERS: readonly Json[] = [0, 1, 2];
const NAMES = ["a", "b"];

/** A config by chance, with this kind in it and a few more; the same number, the same config. */
export function randomConfig(minor: Minor, kind: string, seed: number): Document[] {
  return documents(minor, kind, chanceFrom(seed), 0);
}

/** A patch of such a config, which also deletes; it calls a document of the kind by its name in the base, if there is one. */
export function randomPatch(minor: Minor, kind: string, seed: number, base: readonly Document[] = []): Document[] {
  const name = base.find((document) => document.kind === kind)?.name;
  const made = documents(minor, kind, chanceFrom(seed), 12);
  return name === undefined ? made : made.map((document) => (document.kind === kind ? { ...document, name } : document));
}

/** One value out of `deletes` is a deletion; 0 is never. */
function documents(minor: Minor, kind: string, chance: Chance, deletes: number): Document[] {
  const kinds = kindsOf(minor);
  const more = Array.from({ length: chance(3) }, () => kinds[chance(kinds.length)] ?? ORIGINAL);
  const made = new Map<string, Document>();
  // Talos does not read a config that has nothing left in it.
  if (deletes === 0) made.set(`${ORIGINAL}/undefined`, { version: "v1alpha1", debug: true });
  for (const one of [kind, ...more]) {
    const document = documentOf(minor, one, chance, deletes);
    made.set(`${one}/${document.name}`, document);
  }
  return [...made.values()];
}

function documentOf(minor: Minor, kind: string, chance: Chance, deletes: number): Document {
  const section = fieldsOf(kind, minor);
  const given: Document = kind === ORIGINAL ? { version: "v1alpha1", debug: true } : { apiVersion: "v1alpha1", kind };
  // Two links must not have one name, and neither must the far ends of two.
  if (section?.keys.has("name")) given.name = kind === "VethConfig" ? kind : `${kind}-${NAMES[chance(NAMES.length)]}`;
  if (deletes > 0 && kind !== ORIGINAL && chance(2 * deletes) === 0) return { ...given, $patch: "delete" };
  const often = kind === ORIGINAL ? 3 : 2;
  for (const [key, field] of section?.keys ?? [])
    if (!(key in given) && (isNeeded(field) || chance(often) > 0)) given[key] = someOf(field, chance, deletes);
  return given;
}

function someOf(field: Field, chance: Chance, deletes: number, inList = false): Json {
  if (deletes > 0 && !inList && !isNeeded(field) && chance(deletes) === 0) return { $patch: "delete" };
  if (field.is === "plain") return plainOf(field, chance);
  if (field.is === "list") return Array.from({ length: chance(3) }, () => elementOf(field.of, chance, deletes));
  if (field.is === "map")
    return Object.fromEntries(
      NAMES.filter(() => chance(2) === 0).map((name) => [name, someOf(field.of, chance, deletes, inList)]),
    );
  const made: Document = {};
  for (const [key, inner] of field.keys)
    if (isNeeded(inner) || chance(2) === 0) made[key] = someOf(inner, chance, deletes, inList);
  return made;
}

/** Talos writes a word that is not there as one that it cannot read. */
function isNeeded(field: Field): boolean {
  if (field.is === "plain") return field.words?.[0] === "" && !field.pointer;
  return field.is === "object" && !field.pointer && [...field.keys.values()].some(isNeeded);
}

function elementOf(field: Field, chance: Chance, deletes: number): Json {
  if (deletes === 0 || field.is !== "object" || chance(deletes) > 0) return someOf(field, chance, 0, true);
  const keys = [...field.keys].filter(
    ([, inner]) => inner.is === "plain" && !/[<+]|^(certificate|key|argument)$/.test(inner.word),
  );
  const [key, inner] = keys[chance(keys.length)] ?? [];
  return key === undefined || inner === undefined ? {} : { [key]: someOf(inner, chance, 0, true), $patch: "delete" };
}

function plainOf({ word, words }: Plain, chance: Chance): Json {
  const values = words?.filter((one) => one !== "") ?? VALUES[word] ?? NUMBERS;
  return values[chance(values.length)] ?? null;
}

function chanceFrom(seed: number): Chance {
  let state = (Math.imul(seed + 1, 2_654_435_761) ^ 0x9e3779b9) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
