import { posix } from "node:path";
import { cmp, md5sum, od, sha256sum, sha512sum, tr } from "./bytes.ts";
import { test } from "./conditions.ts";
import { grep } from "./grep.ts";
import { echo, printf } from "./print.ts";
import { type Program, print } from "./program.ts";
import { STARTING } from "./starting.ts";
import { cat, cut, head, sort, tail, tee, wc } from "./text.ts";

export const succeed: Program = () => 0;
const fail: Program = () => 1;

/** Programs that a shell has built in, so that every machine with a shell has them. */
export const BUILT_IN: Readonly<Record<string, Program>> = {
  ...{ echo, printf, test, "[": test, true: succeed, false: fail },
  pwd: (started) => print(started, `${started.folder}\n`),
};

const seq: Program = (started) => {
  const numbers = started.args.map(Number);
  const [from, step, to] =
    numbers.length === 1 ? [1, 1, numbers[0]] : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
  const lines: string[] = [];
  for (let at = from ?? 1; at <= (to ?? 0); at += step ?? 1) lines.push(`${at}\n`);
  return print(started, lines.join(""));
};

/** Programs that are the same on every machine: they see it only through their streams and paths. */
export const COMMON: Readonly<Record<string, Program>> = {
  ...BUILT_IN,
  ...STARTING,
  ...{ cat, cmp, cut, grep, head, od, sort, tail, tee, tr, wc },
  ...{ md5sum, sha256sum, sha512sum, seq, sync: succeed },
  basename: (started) => print(started, `${posix.basename(started.args[0] ?? "", started.args[1])}\n`),
  dirname: (started) => print(started, `${posix.dirname(started.args[0] ?? "")}\n`),
};
