import type { Loose } from "../objects.ts";
import { isRecord } from "../patch/merge.ts";
import { readYaml } from "./yaml.ts";

/** The user's values: files first, then --set, each over the previous ones. */
export function givenValues(files: readonly string[], sets: readonly string[], strings: readonly string[]): Loose {
  const fromFiles = files.map((text) => {
    const values: Loose = readYaml(text) ?? {};
    if (!isRecord(values))
      throw new Error(
        "failed to parse values: error unmarshaling JSON: json: cannot unmarshal into Go value of type map[string]interface {}",
      );
    return values;
  });
  const withFiles = fromFiles.reduce((base, values) => overlay(base, values), {});
  const withSets = sets.flatMap(splitPairs).reduce((base, pair) => setPair(base, pair, typed), withFiles);
  return strings.flatMap(splitPairs).reduce((base, pair) => setPair(base, pair, (text) => text), withSets);
}

/** Merges maps and replaces other values; nulls are kept, because they remove defaults. */
export function overlay(base: Loose, over: Loose): Loose {
  const result = { ...base };
  for (const [key, value] of Object.entries(over ?? {})) {
    result[key] = isRecord(value) && isRecord(result[key]) ? overlay(result[key], value) : value;
  }
  return result;
}

/** The values for templates: the user's over the chart's defaults. */
export function coalesce(defaults: Loose, given: Loose): Loose {
  const result = { ...defaults };
  for (const [key, value] of Object.entries(given ?? {})) {
    if (value === null) delete result[key];
    else result[key] = isRecord(value) && isRecord(result[key]) ? coalesce(result[key], value) : structuredClone(value);
  }
  return result;
}

/** Splits `a.b=c,d={e,f}` at commas, unless they are escaped or inside braces. */
function splitPairs(text: string): string[] {
  return (text.match(/(?:\\.|\{[^}]*\}|[^,{\\])+/g) ?? []).filter((part) => part !== "");
}

function setPair(base: Loose, pair: string, read: (text: string) => Loose): Loose {
  const equals = pair.indexOf("=");
  if (equals < 0) throw new Error(`failed parsing --set data: key ${JSON.stringify(pair)} has no value`);
  const path = (pair.slice(0, equals).match(/(?:\\.|[^.[\\])+|\[\d+\]/g) ?? []).map((part) => part.replace(/\\(.)/g, "$1"));
  const raw = pair.slice(equals + 1);
  const list = /^\{([\s\S]*)\}$/.exec(raw);
  const value = list
    ? list[1] === ""
      ? []
      : (list[1] ?? "").split(",").map((item) => read(item.trim()))
    : read(raw.replace(/\\(.)/g, "$1"));
  return placed(base, path, value);
}

function placed(base: Loose, [first, ...rest]: readonly string[], value: Loose): Loose {
  if (first === undefined) return value;
  const [, place] = /^\[(\d+)\]$/.exec(first) ?? [];
  if (place !== undefined) {
    const list = Array.isArray(base) ? [...base] : [];
    list[Number(place)] = placed(list[Number(place)], rest, value);
    return list;
  }
  return { ...(isRecord(base) ? base : {}), [first]: placed(isRecord(base) ? base[first] : undefined, rest, value) };
}

function typed(text: string): Loose {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text;
}
