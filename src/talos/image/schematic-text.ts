import { userError } from "@talosmith/lib/errors.ts";

/**
 * A text as the factory writes it into a schematic. Its id is the hash of that writing, so ours must be the same to the byte: bare where YAML allows it, in single
 * quotes where a sign would be taken for YAML's own. What Go's YAML library writes differently from release to release, or what would need escapes, is refused.
 */
export function schematicText(text: string): string {
  if (!/^[\x20-\x7e]+$/.test(text) || readsAsOther(text)) throw unwritable(text);
  return needsQuotes(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** To some YAML this is a yes, a nothing, a merge, or a number or time. What merely looks like one of the last is refused, too: no argument does. */
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
