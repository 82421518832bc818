import { posix } from "node:path";
import { quote } from "./quote.ts";
import type { Shell } from "./root.ts";

/** A file of a host as it is, and whether what must follow its last change has been done. */
export interface HostFile {
  text: string | undefined;
  /** It was replaced, and nobody knows whether what comes after was done. */
  pending: boolean;
}

const beside = (path: string, end: string) => posix.join(posix.dirname(path), `.${posix.basename(path)}.talosmith-${end}`);

export async function readHostFile(shell: Shell, path: string): Promise<HostFile> {
  const [text, marked] = await Promise.all([shell.read(path), shell.ask(`test -f ${quote(beside(path, "pending"))}`)]);
  return { text, pending: marked.code === 0 };
}

/**
 * Replaces a file and does what must follow, in one command. Nothing half is ever in its place, not even when the connection breaks while it is
 * sent; and a mark says that the rest is still to be done until it is, so that whoever comes next does it.
 */
export async function writeHostFile(shell: Shell, path: string, text: string, after: string): Promise<void> {
  const [fresh, mark] = [quote(beside(path, "new")), quote(beside(path, "pending"))];
  // What it may do and whose it is stays as it was.
  const keep = `cp -p ${quote(path)} ${fresh} 2>/dev/null`;
  const steps = [
    `cat > ${fresh}`,
    `test "$(wc -c < ${fresh})" -eq ${Buffer.byteLength(text)}`,
    `: > ${mark}`,
    `mv ${fresh} ${quote(path)}`,
    after,
    `rm -f ${mark}`,
  ];
  await shell.run(`write ${path}`, `${keep}; ${steps.join(" && ")}`, text);
}

/** What must follow, once more: the file itself is as it should be. */
export async function finishHostFile(shell: Shell, path: string, after: string): Promise<void> {
  await shell.run(`finish what follows ${path}`, `${after} && rm -f ${quote(beside(path, "pending"))}`);
}
