import { atLeast, minorOf } from "../versions.ts";
import { DEFINITIONS } from "./definitions-table.ts";

/** The definition of a resource type (docs/facts/talos.md#resources). */
export interface Definition {
  type: string;
  namespace: string;
  displayType: string;
  aliases: readonly string[];
  allAliases: readonly string[];
  columns: readonly { name: string; jsonPath: string }[];
  skipAutomaticAliases: boolean;
  /** For administrators only. */
  sensitive: boolean;
}

/** Namespaces besides those of resource types. */
const NAMESPACES = ["cluster-raw", "network-config"];

const known = new Map<string, { definitions: ReadonlyMap<string, Definition>; namespaces: ReadonlySet<string> }>();

/** The definitions of a release, by type. */
export function definitionsOf(version: string) {
  const before = known.get(version);
  if (before) return before;
  const definitions = new Map(lines(version).map((one) => [one.type, one]));
  const namespaces = new Set([...[...definitions.values()].map((one) => one.namespace), ...NAMESPACES]);
  known.set(version, { definitions, namespaces });
  return { definitions, namespaces };
}

const META = "ResourceDefinitions.meta.cosi.dev api-resources | Aliases={.aliases[:]}\nNamespaces.meta.cosi.dev ns";

function lines(version: string): Definition[] {
  return Object.entries({ ...DEFINITIONS, meta: META }).flatMap(([namespace, table]) =>
    table
      .split("\n")
      .filter((line) => line !== "")
      .flatMap((line) => read(line, namespace, version)),
  );
}

function read(line: string, namespace: string, version: string): Definition[] {
  const minor = minorOf(version);
  const [head = "", ...columns] = line.split(" | ");
  const [first = "", ...own] = head.split(" ");
  const [, type = "", mark = "", range = "", only = ""] = /^([\w.]+)([!~]?)(@[\d-]+)?(=?)$/.exec(first) ?? [];
  if (!isIn(range, minor)) return [];
  const ours = own.filter((alias) => isIn(/@.*/.exec(alias)?.[0] ?? "", minor)).map((alias) => alias.replace(/@.*/, ""));
  const [name = "", ...suffix] = type.split(".");
  const displayType = singular(name);
  const aliases = only === "=" ? ours : [...ours, ...automatic(name, displayType)];
  const longer = suffix.slice(0, -1).map((_, index) => [name.toLowerCase(), ...suffix.slice(0, index + 1)].join("."));
  return [
    {
      type,
      namespace,
      displayType,
      aliases,
      allAliases: only === "=" ? aliases : [name.toLowerCase(), ...longer, ...aliases],
      columns: columns.flatMap((column) => readColumn(column, minor)),
      skipAutomaticAliases: only === "=",
      sensitive: mark === "!" || (mark === "~" && atLeast(version, 12, 9)),
    },
  ];
}

function readColumn(column: string, minor: number): { name: string; jsonPath: string }[] {
  const [, name = "", range = "", jsonPath = ""] = /^([^=@]+)(@[\d-]+)?=(.*)$/.exec(column) ?? [];
  return isIn(range, minor) ? [{ name, jsonPath }] : [];
}

function isIn(range: string, minor: number): boolean {
  const [since = "12", until = "99"] = range.replace("@", "").split("-");
  return range === "" || (Number(since) <= minor && minor <= Number(until));
}

/** Automatic aliases: the singular, and its capital letters. */
function automatic(name: string, displayType: string): string[] {
  const capitals = name.replace(/[^A-Z]/g, "").toLowerCase();
  if (capitals.length < 2) return [displayType.toLowerCase()];
  return [displayType.toLowerCase(), capitals, ...(capitals.endsWith("s") ? [] : [`${capitals}s`])];
}

function singular(plural: string): string {
  if (/(status|address|refresh|cach)es$/i.test(plural)) return plural.slice(0, -2);
  if (/[^aeiou]ies$/.test(plural)) return `${plural.slice(0, -3)}y`;
  return plural.replace(/([^s])s$/, "$1");
}
