/** Text that needs no quotes in any POSIX shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** Quotes a path or another text as one word of a shell command that is shown to the user. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
