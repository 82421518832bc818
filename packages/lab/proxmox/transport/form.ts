import type { RawParameters, RawValue } from "../parameters/schema.ts";

/**
 * Parses form bodies and query strings as Proxmox does (docs/facts/proxmox.md#request-bodies): `;` separates like `&`; a value ends at a second raw
 * `=`; a repeated key is a list; a key without `=` is absent; `_dc` is dropped.
 */
export function decodeForm(form: string): RawParameters {
  const values: Record<string, RawValue> = {};
  for (const part of form.split(/[&;]/)) {
    const [key = "", value] = part.split("=");
    const name = decoded(key);
    if (name === "" || name === "_dc" || value === undefined) continue;
    const before = values[name];
    const text = decoded(value);
    values[name] = before === undefined ? text : [...(Array.isArray(before) ? before : [before]), text];
  }
  return values;
}

/** Bytes that are not UTF-8 stay encoded. */
function decoded(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
