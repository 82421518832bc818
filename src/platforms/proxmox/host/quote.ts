import { internalError } from "@talosmith/lib/errors.ts";

/** Needs no quotes in any POSIX shell, and reads better without. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** One word, whatever is in it, as a shell reads it back. */
export function quote(word: string): string {
  if (word.includes("\0")) throw internalError("SHELL_WORD", { message: "Unable to pass a NUL to a shell" });
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command of these words. */
export function command(...words: readonly string[]): string {
  return words.map(quote).join(" ");
}
