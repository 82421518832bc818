import { posix } from "node:path";
import type { Process } from "../pods/program.ts";
import type { Files } from "./files.ts";

/** A container, as a command in it sees it. */
export interface Inside {
  files: Files;
  hostname: string;
  user: number;
  /** Names of further commands of its image, run by the image's own program. */
  tools: readonly string[];
  runTool(argv: readonly string[], out: Output): Promise<number>;
  sleep: Process["sleep"];
  now(): number;
}

export type Output = (content: string | Uint8Array) => void;

/** One run of one command. */
export interface Invocation {
  inside: Inside;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The working folder. */
  folder: string;
  stdin: AsyncIterable<Uint8Array>;
  out: Output;
  err: Output;
}

/** Returns the exit code. */
export type Command = (run: Invocation) => number | Promise<number>;

export function absolute(folder: string, path: string): string {
  return posix.resolve("/", folder, path);
}

/** "-la" and "--all" → flags; the rest are operands. */
export function operandsOf(args: readonly string[]): { flags: string; operands: string[] } {
  const isFlag = (arg: string) => /^-./.test(arg);
  const flags = args.filter(isFlag).map((flag) => flag.replace(/^-+/, ""));
  return { flags: flags.join(""), operands: args.filter((arg) => !isFlag(arg)) };
}

export async function wholeOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
