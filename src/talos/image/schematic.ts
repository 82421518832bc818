import { createHash } from "node:crypto";
import { userError } from "@talosmith/lib/errors.ts";

/** The content of an image from the image factory. The order of its lists matters. */
export interface Schematic {
  /** For boards that do not boot like a PC. */
  readonly overlay?: { readonly image: string; readonly name: string };
  readonly kernelArgs?: readonly string[];
  /** Values in Talos's META partition at its first boot; keys 0 to 255. */
  readonly meta?: readonly { readonly key: number; readonly value: string }[];
  readonly extensions?: readonly string[];
  /** The well-known UEFI certificates are enrolled beside Talos's own. */
  readonly wellKnownCertificates?: boolean;
}

const INDENT = "    ";
const deeper = (lines: readonly string[]) => lines.map((line) => INDENT + line);
const listed = (texts: readonly string[]) => deeper(texts.map((text) => `- ${schematicText(text)}`));
const below = (key: string, lines: readonly string[]) => (lines.length === 0 ? [] : [`${key}:`, ...lines]);

/** The factory's canonical YAML: fields in this order, empty ones left out. Its SHA-256 is the schematic's id (docs/facts/talos.md#schematics). */
export function schematicYaml({ overlay, kernelArgs, meta, extensions, wellKnownCertificates }: Schematic): string {
  const pairs = (meta ?? []).flatMap(({ key, value }) => [`- key: ${key}`, `  value: ${schematicText(value)}`]);
  const customization = [
    ...below("extraKernelArgs", listed(kernelArgs ?? [])),
    ...below("meta", deeper(pairs)),
    ...below("systemExtensions", deeper(below("officialExtensions", listed(extensions ?? [])))),
    ...(wellKnownCertificates ? ["secureboot:", `${INDENT}includeWellKnownCertificates: true`] : []),
  ];
  const board = overlay ? [`image: ${schematicText(overlay.image)}`, `name: ${schematicText(overlay.name)}`] : [];
  const lines = [
    ...below("overlay", deeper(board)),
    ...(customization.length === 0 ? ["customization: {}"] : below("customization", deeper(customization))),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

export function schematicId(schematic: Schematic): string {
  return createHash("sha256").update(schematicYaml(schematic)).digest("hex");
}

/**
 * Prints a text as the factory writes it into a schematic. The id is the hash of that output, so it must be equal to the byte: plain where YAML allows
 * it, in single quotes where a character has a meaning in YAML. A text that Go's YAML library writes differently between releases, or that needs
 * escapes, is refused.
 */
function schematicText(text: string): string {
  if (!/^[\x20-\x7e]+$/.test(text) || readsAsOther(text)) throw unwritable(text);
  return needsQuotes(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/**
 * Whether some YAML version reads the text as a boolean, null, a merge key, a number or a time. Texts that only resemble a number or time are refused
 * too: no argument does.
 */
function readsAsOther(text: string): boolean {
  return /^(true|false|null|~|<<|yes|no|on|off|y|n|[-+]?\.(inf|nan)|[-+._]*[0-9][0-9a-fxotz_.:+ -]*)$/i.test(text);
}

function needsQuotes(text: string): boolean {
  return /^[#,[\]{}&*!|>'"%@`]|^(---|\.\.\.)|^[-?:]( |$)|: |:$| #|^ | $/.test(text);
}

function unwritable(text: string) {
  return userError("SCHEMATIC_TEXT", {
    message: `Unable to compute the schematic id with ${JSON.stringify(text)} in it`,
    detail: "different versions of the image factory write this text differently, which changes the id",
    hint: "write extensions as owner/name and kernel arguments as name or name=value; or create the schematic at the factory and set its id as image.schematic",
  });
}
