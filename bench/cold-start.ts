import { spawnSync } from "node:child_process";
import { atMost, type Figure, median, times } from "./figure.ts";

const ROUNDS = 21;

/** Starts of the built program and of the clone's launcher over those of a bare Node, in turns, so that all see the same machine. */
export function coldStart(program: string, launcher: string): Figure[] {
  const starts = {
    bare: ["-e", "0"],
    version: [program, "--version"],
    help: [program, "--help"],
    launcher: [launcher, "--version"],
  };
  const names = Object.keys(starts) as (keyof typeof starts)[];
  // The first start compiles.
  for (const name of names) startMs(starts[name]);
  const rounds = Array.from({ length: ROUNDS }, () => names.map((name) => startMs(starts[name])));
  const [bare = 1, ...ours] = names.map((_, at) => median(rounds.map((round) => round[at] ?? 0)));
  const [version = 0, help = 0, cloned = 0] = ours.map((ms) => ms / bare);
  return [
    { name: "start of a bare node", value: `${bare.toFixed(0)} ms`, limit: "" },
    atMost("start of --version, built program, over bare node", version, 1.3, times),
    atMost("start of --help, built program, over bare node", help, 1.5, times),
    atMost("start of --version in a clone, over bare node", cloned, 2, times),
  ];
}

function startMs(args: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
  return performance.now() - started;
}
