/** Needs no quotes in any POSIX shell, and reads better without. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A path, or anything else, as one word of a command that is shown to a person. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
