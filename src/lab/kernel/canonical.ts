import { internalError } from "../../lib/errors.ts";

/** JSON with its keys in order, so that the same state is the same text. Refuses what JSON would lose in silence. */
export function canonicalJson(value: unknown, path = "state"): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item, index) => canonicalJson(item, `${path}[${index}]`)).join(",")}]`;
  if (typeof value === "object" && isPlain(value)) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member, `${path}.${key}`)}`);
    return `{${members.join(",")}}`;
  }
  throw internalError("LAB_STATE", {
    message: `Unable to keep ${path} in a snapshot: it is no plain data`,
    detail: `found ${typeof value === "object" ? (value.constructor?.name ?? "an object") : String(value)}`,
  });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
