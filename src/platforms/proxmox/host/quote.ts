import { internalError } from "@talosmith/lib/errors.ts";

/** Needs no quotes in any POSIX shell, and reads better without. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** Quotes any text as one shell word. */
export function quote(word: string): string {
  if (word.includes("\0")) throw internalError("SHELL_WORD", { message: "Unable to pass a NUL to a shell" });
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Joins words into a shell command. */
export function command(...words: readonly string[]): string {
  return words.map(quote).join(" ");
}
