/** Words that some reader of YAML 1.1 or 1.2 takes for something else than text. */
const WORDS = /^(true|false|yes|no|on|off|y|n|null|~)$/i;
const NUMBER = /^[-+]?(\d[\d_]*)?\.?[\d_]*(e[-+]?\d+)?$/i;
const BASED_NUMBER = /^[-+]?0[xob][\da-f_]+$/i;
/** "12:30:45" is a number to the base of 60 in YAML 1.1, and some MAC addresses look like that. */
const BASE_SIXTY = /^[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?$/;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}/;
/** Conservative: what is not certainly plain is quoted. */
const PLAIN = /^[A-Za-z0-9_/]([A-Za-z0-9_/.+=@()"'*<>!?|&%$;,~^[\]{}-]| (?!#)|:(?! |$))*$/;

/** A text as a plain or a quoted scalar on one line, so that every reader of YAML sees the same text. */
export function yamlText(text: string): string {
  const taken = [WORDS, NUMBER, BASED_NUMBER, BASE_SIXTY, DATE].some((form) => form.test(text));
  if (PLAIN.test(text) && !text.endsWith(" ") && !taken) return text;
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
