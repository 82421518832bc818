import type { Descriptors } from "./process.ts";
import { newPipe, type OpenFile } from "./streams.ts";

/** Runs the commands of a pipeline at the same time, each reading what the one before it writes; gives their exit codes. */
export function runJoined<C>(
  commands: readonly C[],
  given: Descriptors,
  alive: AbortSignal,
  start: (command: C, fds: Descriptors) => Promise<number>,
): Promise<number[]> {
  const running: Promise<number>[] = [];
  let before: OpenFile | undefined;
  for (const [index, command] of commands.entries()) {
    const fds = new Map(given);
    if (before) fds.set(0, before);
    const pipe = index < commands.length - 1 ? newPipe(alive) : undefined;
    const [reader, writer] = [pipe?.reader(), pipe?.writer()];
    if (writer) fds.set(1, writer);
    running.push(start(command, fds));
    before?.release();
    writer?.release();
    before = reader;
  }
  return Promise.all(running);
}
