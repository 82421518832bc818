import { isDnsName } from "./ip-words.ts";
import type { Wrong } from "./value.ts";

/** Checks of Kubernetes keys and values, with the rules of Talos's config validation. */

const NAME = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

function isQualified(key: string): boolean {
  const [name = "", prefix, ...more] = key.split("/").reverse();
  return more.length === 0 && NAME.test(name) && (prefix === undefined || (isDnsName(prefix) && prefix === prefix.toLowerCase()));
}

export function key(value: string): Wrong | undefined {
  if (isQualified(value)) return undefined;
  return {
    says: "is not a valid key",
    hint: "write a name of at most 63 letters, digits, - _ and ., with a letter or digit at both ends, and a domain before it if any: example.com/tier",
    on: "key",
  };
}

/** Annotations in which Talos records what it set. */
const OF_TALOS = /^talos\.dev\/owned-(labels|annotations|taints)$/;

export function annotationKey(value: string): Wrong | undefined {
  if (OF_TALOS.test(value)) return { says: "is an annotation that Talos manages itself", hint: "remove it", on: "key" };
  return key(value);
}

export function labelValue(value: string): Wrong | undefined {
  if (value === "" || NAME.test(value)) return undefined;
  return {
    says: "is not a valid label value",
    hint: "use at most 63 letters, digits, - _ and ., with a letter or digit at both ends; annotations may hold any text",
  };
}

export const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;
const TAINT = /^([^=:]+)(?:=([^:]*))?:([A-Za-z]+)$/;

/** Parses a taint in kubectl's notation; undefined when it is invalid. */
export function parseTaint(text: string): { key: string; value?: string; effect: string } | undefined {
  const [, name = "", value, effect = ""] = TAINT.exec(text) ?? [];
  if (!isQualified(name) || !EFFECTS.some((known) => known === effect)) return undefined;
  if (value === undefined) return { key: name, effect };
  return labelValue(value) === undefined ? { key: name, value, effect } : undefined;
}

export function taint(value: string): Wrong | undefined {
  if (parseTaint(value) !== undefined) return undefined;
  const effect = value.split(":").at(-1) ?? "";
  const near = EFFECTS.find((known) => known.toLowerCase() === effect.toLowerCase());
  const hint =
    near !== undefined && near !== effect
      ? `the effect is written ${near}`
      : "write key=value:Effect or key:Effect, with the effect NoSchedule, PreferNoSchedule or NoExecute";
  return { says: "is not a taint", hint };
}

const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function namespace(value: string): Wrong | undefined {
  return NAMESPACE.test(value)
    ? undefined
    : { says: "is not a valid namespace name", hint: "write lower-case letters, digits and hyphens, such as kube-system" };
}

/** Checks an object name: an RFC 1123 subdomain. */
export function objectName(value: string): Wrong | undefined {
  return isDnsLike(value)
    ? undefined
    : { says: "is not a valid object name", hint: "use lower-case letters, digits, hyphens and dots, such as registry" };
}

function isDnsLike(value: string): boolean {
  return value.length <= 253 && value.split(".").every((label) => NAMESPACE.test(label));
}
