import type { Json } from "@talosmith/lib/json.ts";
import { isFields, quoted, together, word } from "./values.ts";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LONGEST = 63;
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const RESERVED = ["owned-annotations", "owned-labels", "owned-taints"].map((name) => `talos.dev/${name}`);
const ANNOTATIONS_LIMIT = 256 * 1024;

export function subdomainProblem(text: string): string | undefined {
  if (text.length > 253) return `domain name length exceeds limit of 253: ${quoted(text)}`;
  return SUBDOMAIN.test(text) ? undefined : `domain doesn't match required format: ${quoted(text)}`;
}

function nameProblem(text: string): string | undefined {
  const parts = text.split("/");
  if (parts.length > 2) return `invalid format: too many slashes: ${quoted(text)}`;
  const [prefix, name] = parts.length === 2 ? parts : [undefined, parts[0]];
  if (prefix === "") return `prefix cannot be empty: ${quoted(text)}`;
  const problem = prefix === undefined ? undefined : subdomainProblem(prefix);
  if (problem !== undefined) return `prefix ${quoted(prefix as string)} is invalid: ${problem}`;
  if (!name) return `name cannot be empty: ${quoted(text)}`;
  if (name.length > LONGEST) return `name is too long: ${quoted(text)} (limit is ${LONGEST})`;
  return NAME.test(name) ? undefined : `name ${quoted(name)} is invalid`;
}

function valueProblem(text: string): string | undefined {
  if (text.length > LONGEST) return `label value length exceeds limit of ${LONGEST}: ${quoted(text)}`;
  return text === "" || NAME.test(text) ? undefined : `label value ${quoted(text)} is invalid`;
}

function sorted(map: Json | undefined): [string, string][] {
  if (!isFields(map)) return [];
  return Object.keys(map)
    .sort()
    .map((key) => [key, word(map[key])]);
}

function all(prefix: string, problems: (string | undefined)[]): string[] {
  const found = problems.filter((problem) => problem !== undefined);
  return found.length === 0 ? [] : [`${prefix}: ${together(found)}`];
}

export function labelProblems(prefix: string, labels: Json | undefined): string[] {
  return all(
    prefix,
    sorted(labels).flatMap(([key, value]) => [nameProblem(key), valueProblem(value)]),
  );
}

export function annotationProblems(prefix: string, annotations: Json | undefined): string[] {
  const entries = sorted(annotations);
  const size = entries.reduce((bytes, [key, value]) => bytes + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return all(prefix, [
    ...entries.flatMap(([key]) => [
      nameProblem(key),
      RESERVED.includes(key) ? `annotation ${quoted(key)} is reserved` : undefined,
    ]),
    size > ANNOTATIONS_LIMIT ? `total annotation size exceeds limit of ${ANNOTATIONS_LIMIT} bytes` : undefined,
  ]);
}

export function taintProblems(prefix: string, taints: Json | undefined): string[] {
  return all(
    prefix,
    sorted(taints).map(([key, taint]) => {
      const colon = taint.indexOf(":");
      const effect = taint.slice(colon + 1);
      if (nameProblem(key) !== undefined) return nameProblem(key);
      if (!EFFECTS.includes(effect)) return `invalid taint effect: ${quoted(effect)}`;
      return colon < 0 ? undefined : valueProblem(taint.slice(0, colon));
    }),
  );
}
