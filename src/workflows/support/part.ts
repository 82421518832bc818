import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../../engine/context.ts";

export type SupportSession = Session & { redactor: Redactor };

/** The largest size of a part; of a longer one the end is kept, where errors are. */
const LONGEST_PART = 2 * 1024 * 1024;

export function ending(text: string): string {
  if (text.length <= LONGEST_PART) return text;
  const from = text.length - LONGEST_PART;
  const line = text.indexOf("\n", from) + 1;
  return `(the first ${line === 0 ? from : line} characters are left out)\n${text.slice(line === 0 ? from : line)}`;
}
