import { parse } from "yaml";
import type { Loose } from "../../objects.ts";
import { isTruthy, printed, sortedJson, toYaml } from "./values.ts";

type Fn = (...args: Loose[]) => Loose;

const number = (value: Loose) => {
  const result = Number(value ?? 0);
  return Number.isNaN(result) ? 0 : result;
};
const whole = (value: Loose) => Math.trunc(number(value));

const kind = (value: Loose) => {
  if (value === undefined || value === null) return "invalid";
  if (Array.isArray(value)) return "slice";
  if (typeof value === "object") return "map";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : Number.isInteger(value) ? "int" : "float64";
};

const isMap = (value: Loose) => kind(value) === "map";

function merged(target: Loose, source: Loose, overwrite: boolean): Loose {
  for (const [key, value] of Object.entries(source ?? {})) {
    if (isMap(target[key]) && isMap(value)) merged(target[key], value, overwrite);
    else if (overwrite ? value !== undefined : !isTruthy(target[key])) target[key] = value;
  }
  return target;
}

const same = (a: Loose, b: Loose) => sortedJson(a ?? null) === sortedJson(b ?? null);

function compare(a: Loose, b: Loose): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function versionParts(text: string): number[] {
  const [, major = "0", minor = "0", patch = "0"] = /^[v=]*(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text) ?? [];
  return [Number(major), Number(minor), Number(patch)];
}

/** `>=1.2.0-0`, `^1.2`, `~1.2`, several with blanks or commas. */
export function semverCompare(constraint: string, version: string): boolean {
  return constraint.split("||").some((alternative) =>
    [...alternative.matchAll(/([<>=!^~]*)\s*v?(\d+(?:\.(?:\d+|x|\*))*(?:-[\w.]+)?)/g)].every(([, operator = "", text = ""]) => {
      const [wanted, have] = [versionParts(text), versionParts(version)];
      const order = wanted.reduce((sum, part, index) => sum || (have[index] ?? 0) - part, 0);
      if (operator === ">=") return order >= 0;
      if (operator === ">") return order > 0;
      if (operator === "<=") return order <= 0;
      if (operator === "<") return order < 0;
      if (operator === "!=") return order !== 0;
      if (operator === "^") return order >= 0 && have[0] === wanted[0];
      if (operator === "~") return order >= 0 && have[0] === wanted[0] && have[1] === wanted[1];
      return text.split(".").every((part, index) => /[x*]/.test(part) || Number.parseInt(part, 10) === have[index]);
    }),
  );
}

function index(value: Loose, ...keys: Loose[]): Loose {
  return keys.reduce((at, key) => at?.[key], value);
}

function dig(...args: Loose[]): Loose {
  const [keys, fallback, map] = [args.slice(0, -2), args.at(-2), args.at(-1)];
  return index(map, ...keys) ?? fallback;
}

const list = (value: Loose): Loose[] => (Array.isArray(value) ? value : []);

/** Functions for values of all types, of Go and sprig. */
export const DATA: Record<string, Fn> = {
  eq: (first, ...others) => others.some((other) => same(first, other)),
  ne: (a, b) => !same(a, b),
  lt: (a, b) => compare(a, b) < 0,
  le: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  ge: (a, b) => compare(a, b) >= 0,
  not: (value) => !isTruthy(value),
  len: (value) => (isMap(value) ? Object.keys(value).length : (value?.length ?? 0)),
  index,
  slice: (value, from = 0, to = undefined) => value.slice(from, to),
  default: (fallback, value) => (isTruthy(value) ? value : fallback),
  empty: (value) => !isTruthy(value),
  coalesce: (...values) => values.find(isTruthy),
  ternary: (yes, no, test) => (isTruthy(test) ? yes : no),
  required: (message, value) => {
    if (value === undefined || value === null || value === "") throw new Error(message);
    return value;
  },
  fail: (message) => {
    throw new Error(message);
  },
  list: (...items) => items,
  tuple: (...items) => items,
  dict: (...items) =>
    Object.fromEntries(items.flatMap((item, at) => (at % 2 === 0 ? [[printed(item), items[at + 1] ?? ""]] : []))),
  get: (map, key) => map?.[key] ?? "",
  set: (map, key, value) => Object.assign(map, { [key]: value }),
  unset: (map, key) => {
    delete map[key];
    return map;
  },
  hasKey: (map, key) => Object.hasOwn(map ?? {}, key),
  keys: (...maps) => maps.flatMap((map) => Object.keys(map ?? {})),
  values: (map) => Object.values(map ?? {}),
  pluck: (key, ...maps) => maps.filter((map) => Object.hasOwn(map ?? {}, key)).map((map) => map[key]),
  pick: (map, ...keys) => Object.fromEntries(Object.entries(map).filter(([key]) => keys.includes(key))),
  omit: (map, ...keys) => Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key))),
  merge: (target, ...sources) => sources.reduce((into, source) => merged(into, source, false), target),
  mergeOverwrite: (target, ...sources) => sources.reduce((into, source) => merged(into, source, true), target),
  deepCopy: (value) => structuredClone(value),
  dig,
  first: (value) => list(value)[0],
  last: (value) => list(value).at(-1),
  rest: (value) => list(value).slice(1),
  initial: (value) => list(value).slice(0, -1),
  append: (value, item) => [...list(value), item],
  prepend: (value, item) => [item, ...list(value)],
  concat: (...lists) => lists.flatMap(list),
  has: (item, value) => list(value).some((other) => same(other, item)),
  without: (value, ...items) => list(value).filter((other) => !items.some((item) => same(other, item))),
  uniq: (value) => list(value).filter((item, at) => list(value).findIndex((other) => same(other, item)) === at),
  compact: (value) => list(value).filter(isTruthy),
  sortAlpha: (value) => list(value).map(printed).sort(),
  reverse: (value) => [...list(value)].reverse(),
  until: (count) => Array.from({ length: Math.max(0, count) }, (_, at) => at),
  untilStep: (from, to, step) => Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, at) => from + at * step),
  kindOf: kind,
  kindIs: (wanted, value) => kind(value) === wanted || (wanted === "float64" && kind(value) === "int"),
  typeOf: kind,
  typeIs: (wanted, value) => kind(value) === wanted,
  int: whole,
  int64: whole,
  float64: number,
  atoi: whole,
  add: (...items) => items.reduce((sum, item) => sum + whole(item), 0),
  add1: (value) => whole(value) + 1,
  sub: (a, b) => whole(a) - whole(b),
  mul: (...items) => items.reduce((product, item) => product * whole(item), 1),
  div: (a, b) => Math.trunc(whole(a) / whole(b)),
  mod: (a, b) => whole(a) % whole(b),
  max: (...items) => Math.max(...items.map(whole)),
  min: (...items) => Math.min(...items.map(whole)),
  floor: (value) => Math.floor(number(value)),
  ceil: (value) => Math.ceil(number(value)),
  round: (value, places = 0) => Number(number(value).toFixed(places)),
  toYaml,
  fromYaml: (text) => parse(printed(text)) ?? {},
  fromYamlArray: (text) => parse(printed(text)) ?? [],
  toJson: (value) => sortedJson(value ?? null),
  toRawJson: (value) => sortedJson(value ?? null),
  toPrettyJson: (value) => JSON.stringify(JSON.parse(sortedJson(value ?? null)), null, 2),
  fromJson: (text) => JSON.parse(text),
  semverCompare,
};
