import { userError } from "@talosmith/lib/errors.ts";

/**
 * Prints a text as the factory writes it into a schematic. The id is the hash of that output, so it must be equal to the byte: plain where YAML allows
 * it, in single quotes where a character has a meaning in YAML. A text that Go's YAML library writes differently between releases, or that needs
 * escapes, is refused.
 */
export function schematicText(text: string): string {
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
