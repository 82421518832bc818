import type { Process } from "../process.ts";
import type { Program } from "./program.ts";

/** `test`, and `[` with its bracket. */
export const test: Program = (started) => {
  const args = started.args.at(-1) === "]" ? started.args.slice(0, -1) : started.args;
  return holds(started, args) ? 0 : 1;
};

function holds(started: Process, args: readonly string[]): boolean {
  const or = args.indexOf("-o");
  if (or > 0) return holds(started, args.slice(0, or)) || holds(started, args.slice(or + 1));
  const and = args.indexOf("-a");
  if (and > 0) return holds(started, args.slice(0, and)) && holds(started, args.slice(and + 1));
  const [first = "", second = "", third = ""] = args;
  if (args.length === 0) return false;
  if (first === "!" && args.length > 1) return !holds(started, args.slice(1));
  if (args.length === 1) return first !== "";
  if (args.length === 3) return compared(first, second, third);
  if (first === "-n") return second !== "";
  if (first === "-z") return second === "";
  return isSuch(started, first, second);
}

const KINDS = { "-b": "device", "-c": "character", "-d": "folder", "-f": "file", "-p": "fifo", "-x": "folder" } as const;

function isSuch(started: Process, question: string, path: string): boolean {
  if (question === "-h" || question === "-L") return started.isLink(path);
  const kind = started.kind(path);
  if (question === "-s") return kind !== undefined && !kind.isEmpty;
  const wanted = KINDS[question as keyof typeof KINDS];
  return kind !== undefined && (wanted === undefined || kind.is === wanted);
}

function compared(one: string, how: string, other: string): boolean {
  const [a, b] = [Number(one), Number(other)];
  const kinds: Record<string, boolean> = {
    ...{ "=": one === other, "==": one === other, "!=": one !== other },
    ...{ "-eq": a === b, "-ne": a !== b, "-gt": a > b, "-ge": a >= b, "-lt": a < b, "-le": a <= b },
  };
  return kinds[how] ?? false;
}
