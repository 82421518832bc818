import { readsAsMore } from "@talosmith/lib/yaml/reads-as-more.ts";

/** Conservative: text that may not be plain is quoted. */
const PLAIN = /^[A-Za-z0-9_/]([A-Za-z0-9_/.+=@()"'*<>!?|&%$;,~^[\]{}-]| (?!#)|:(?! |$))*$/;

/** A text as a plain or a quoted scalar on one line, so that every reader of YAML sees the same text. */
export function yamlText(text: string): string {
  if (PLAIN.test(text) && !text.endsWith(" ") && !readsAsMore(text)) return text;
  // JSON's strings are YAML's, but for characters that YAML wants escaped or takes for the end of a line.
  return JSON.stringify(text).replace(/[\u007f-\u00a0\u2028\u2029\ufeff]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A text of several lines as they are, or undefined when only a quoted scalar keeps it. */
export function blockLines(text: string): { header: string; lines: string[] } | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a block cannot hold.
  if (!text.includes("\n") || /^[\s]|[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u2028\u2029\ufeff]/.test(text)) return undefined;
  if (!text.endsWith("\n")) return { header: "|-", lines: text.split("\n") };
  const body = text.slice(0, -1);
  return body.endsWith("\n") || body.endsWith(" ") ? undefined : { header: "|", lines: body.split("\n") };
}
