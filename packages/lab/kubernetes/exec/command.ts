import { isShell } from "../../shell/invoke.ts";
import { freshOwn } from "../../shell/own.ts";
import { Shell } from "../../shell/shell.ts";
import { counted, fromParts, type OpenFile, unreadable } from "../../shell/streams.ts";
import { groundOf } from "./ground.ts";
import type { Inside } from "./invocation.ts";
import type { Lines } from "./terminal.ts";

export type Output = (content: Buffer) => void;

export interface Streams {
  stdin: AsyncIterable<Uint8Array>;
  out: Output;
  err: Output;
}

/** Runs one command as the container runtime does: no shell reads it first. At a terminal a shell reads what is typed, line by line. */
export async function runCommand(
  argv: readonly string[],
  where: { inside: Inside; env: Readonly<Record<string, string>>; alive: AbortSignal },
  { stdin, out, err }: Streams,
  lines?: Lines,
): Promise<number> {
  const ground = groundOf(where.inside, where.alive);
  const files = new Map([
    [0, fromParts(stdin)],
    [1, writes(out)],
    [2, writes(err)],
  ]);
  const own = freshOwn(new Map(Object.entries(where.env)), ground.dialect("sh"), "/");
  const shell = new Shell(ground, own, files, where.alive);
  const [name = "", ...args] = argv;
  if (lines && isShell(name) && args.every((arg) => /^-[^c]*$/.test(arg)))
    return shell.runLines((folder) => lines.next(`${folder} ${lines.prompt} `));
  return shell.start(argv);
}

function writes(to: Output): OpenFile {
  return counted({ read: unreadable, unread: () => {}, write: async (bytes) => to(Buffer.from(bytes)) }, () => {});
}
