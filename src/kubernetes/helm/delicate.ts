import type { Json } from "@talosmith/lib/json.ts";
import type { Values } from "./release.ts";

const DELICATE_NAME =
  /pass(word|phrase|wd)?\b|secret|token|credential|(private|api|access|shared|encryption)[-_]?key|auth|dsn|\.key$/i;
/** Names of and keys in Secrets are not secret themselves: secret.name, existingSecret, passwordKey. */
const REFERENCE =
  /(^|\.)(name|namespace|type|existingsecret|[\w-]*secret(name|ref|keyref)|[\w-]*(user|username|password|token)[-_]?key)$/i;
/** PEM, plain and in base64, and a URL with a password in it. */
const DELICATE_TEXT = /-----BEGIN |LS0tLS1CRUdJTi|:\/\/[^/\s:@]*:[^/\s@]+@/;
/** A shorter text would match parts of ordinary words. */
const SHORTEST = 6;

/** Whether a value looks like a secret. Booleans and numbers never do. */
export function isDelicate(path: string, value: Json | undefined): boolean {
  const text = typeof value === "string" ? value : typeof value === "object" && value !== null ? JSON.stringify(value) : "";
  return text !== "" && ((DELICATE_NAME.test(path) && !REFERENCE.test(path)) || DELICATE_TEXT.test(text));
}

/** The texts among a chart's values that must be removed from logs. `secretPaths`: values that are always secret. */
export function delicateTexts(values: Values, secretPaths: readonly string[] = []): string[] {
  const isHidden = (path: string, text: string) => isDelicate(path, text) || isAmong(secretPaths, path);
  const texts = textsIn("", values).filter(({ path, text }) => isHidden(path, text));
  // Logs are read line by line. The longest text comes first, because a text may be part of another.
  const parts = texts.flatMap(({ text }) => [text, ...text.split("\n").map((line) => line.trim())]);
  return [...new Set(parts)].filter((part) => part.length >= SHORTEST).sort((a, b) => b.length - a.length);
}

/** Whether a path equals, is below or is above one of these. Dots within keys may be written with a backslash or without. */
export function isAmong(secretPaths: readonly string[], path: string): boolean {
  const plain = (text: string) => text.replaceAll("\\.", ".").replace(/^\.?/, ".");
  const own = plain(path);
  return secretPaths.map(plain).some((one) => own === one || own.startsWith(`${one}.`) || one.startsWith(`${own}.`));
}

function textsIn(path: string, value: Json): { path: string; text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (typeof value !== "object" || value === null) return [];
  // Items of a list are named by the list.
  if (Array.isArray(value)) return value.flatMap((item: Json) => textsIn(path, item));
  return Object.entries(value).flatMap(([key, item]) => textsIn(`${path}.${key}`, item));
}
