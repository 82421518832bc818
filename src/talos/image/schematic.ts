import { createHash } from "node:crypto";
import { schematicText } from "./schematic-text.ts";

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
