import { posix } from "node:path";
import { quote } from "./quote.ts";
import type { Shell } from "./root.ts";

/** A file of a host, and whether the follow-up of its last change is done. */
export interface HostFile {
  text: string | undefined;
  /** It was replaced, and the follow-up may not be done. */
  pending: boolean;
}

const beside = (path: string, end: string) => posix.join(posix.dirname(path), `.${posix.basename(path)}.talosmith-${end}`);

export async function readHostFile(shell: Shell, path: string): Promise<HostFile> {
  const [text, marked] = await Promise.all([shell.read(path), shell.ask(`test -f ${quote(beside(path, "pending"))}`)]);
  return { text, pending: marked.code === 0 };
}

/**
 * Replaces a file and runs the follow-up command, in one command. The replacement is atomic, even when the connection breaks during the transfer. A
 * marker file exists until the follow-up is done, so that the next run completes it.
 */
export async function writeHostFile(shell: Shell, path: string, text: string, after: string): Promise<void> {
  const [fresh, mark] = [quote(beside(path, "new")), quote(beside(path, "pending"))];
  // Keeps mode and owner.
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

/** Repeats only the follow-up: the file itself is right. */
export async function finishHostFile(shell: Shell, path: string, after: string): Promise<void> {
  await shell.run(`finish what follows ${path}`, `${after} && rm -f ${quote(beside(path, "pending"))}`);
}
