import type { Json } from "../../lib/json.ts";
import { type ConfigDocument, isObject, isOriginal, type JsonObject } from "./document.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";

/** Which release of what a node runs is in these; another one is an upgrade, which has an order of its own. */
const VERSIONS: readonly (readonly string[])[] = [
  ["machine", "install", "image"],
  ["machine", "kubelet", "image"],
  ["cluster", "apiServer", "image"],
  ["cluster", "controllerManager", "image"],
  ["cluster", "scheduler", "image"],
  ["cluster", "proxy", "image"],
];

export interface KeptVersion {
  /** "machine.kubelet.image" */
  path: string;
  runs: string;
  wanted: string;
}

/** What a living node should be told: the wanted config with the releases it runs, and which of those are other ones than wanted. */
export function keepVersions(wanted: string, actual: string): { config: string; kept: KeptVersion[] } {
  if (wanted === actual) return { config: wanted, kept: [] };
  const running = parseConfig(actual).find(isOriginal);
  const kept: KeptVersion[] = [];
  const documents = parseConfig(wanted).map((document) => {
    if (!isOriginal(document) || !running) return document;
    return VERSIONS.reduce<ConfigDocument>((result, path) => {
      const [to, runs] = [at(result, path), at(running, path)];
      if (typeof to !== "string" || typeof runs !== "string" || to === runs) return result;
      kept.push({ path: path.join("."), runs, wanted: to });
      return put(result, path, runs);
    }, document);
  });
  return { config: kept.length === 0 ? wanted : printConfig(documents), kept };
}

function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  return isObject(value) ? at(value[first], rest) : undefined;
}

function put(value: JsonObject, [first = "", ...rest]: readonly string[], to: string): JsonObject {
  const inner = value[first];
  return { ...value, [first]: rest.length === 0 || !isObject(inner) ? to : put(inner, rest, to) };
}
