import type { Json } from "../../lib/json.ts";
import type { Values } from "./release.ts";

const DELICATE_NAME =
  /pass(word|phrase|wd)?\b|secret|token|credential|(private|api|access|shared|encryption)[-_]?key|auth|dsn|\.key$/i;
/** PEM, plain and in base64, and a URL with a password in it. */
const DELICATE_TEXT = /-----BEGIN |LS0tLS1CRUdJTi|:\/\/[^/\s:@]*:[^/\s@]+@/;
/** Anything shorter would blank out half of every sentence. */
const SHORTEST = 6;

/** Looks like something nobody should read over a shoulder. A switch or a number is none, whatever it is called. */
export function isDelicate(path: string, value: Json | undefined): boolean {
  const text = typeof value === "string" ? value : typeof value === "object" && value !== null ? JSON.stringify(value) : "";
  return text !== "" && (DELICATE_NAME.test(path) || DELICATE_TEXT.test(text));
}

/** The texts among a chart's values that must not be seen in a log either. */
export function delicateTexts(values: Values): string[] {
  return textsIn("", values).filter((text) => text.length >= SHORTEST);
}

function textsIn(path: string, value: Json): string[] {
  if (typeof value === "string") return isDelicate(path, value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  // Items of a list are named by the list.
  if (Array.isArray(value)) return value.flatMap((item: Json) => textsIn(path, item));
  return Object.entries(value).flatMap(([key, item]) => textsIn(`${path}.${key}`, item));
}
