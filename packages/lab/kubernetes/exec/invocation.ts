import { posix } from "node:path";
import type { Process } from "../../shell/process.ts";
import type { Process as PodProcess } from "../pods/program.ts";
import type { Files } from "./files.ts";

/** A container, as a command in it sees it. */
export interface Inside {
  files: Files;
  hostname: string;
  user: number;
  /** Names of other commands that its image has, run by the image's own program. */
  tools: readonly string[];
  runTool(argv: readonly string[], out: (text: string) => void): Promise<number>;
  sleep: PodProcess["sleep"];
  now(): number;
}

/** A command that has been started in a container. */
export interface Started extends Process {
  inside: Inside;
}

/** Returns its exit code. */
export type Command = (run: Started) => number | Promise<number>;

export function absolute({ folder }: Process, path: string): string {
  return posix.resolve(folder, path);
}

/** "-la" and "--all" → flags; the rest are operands. */
export function operandsOf(args: readonly string[]): { flags: string; operands: string[] } {
  const isFlag = (arg: string) => /^-./.test(arg);
  const flags = args.filter(isFlag).map((flag) => flag.replace(/^-+/, ""));
  return { flags: flags.join(""), operands: args.filter((arg) => !isFlag(arg)) };
}
