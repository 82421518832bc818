import { spawnSync } from "node:child_process";

const RUNS = 15;

function medianMs(args: readonly string[]): number {
  const times = Array.from({ length: RUNS }, () => {
    const started = performance.now();
    const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
    if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
    return performance.now() - started;
  });
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] as number;
}

/** The start time of talosmith relative to that of a bare Node. */
export function coldStart(launcher: string): { name: string; value: string; limit: string } {
  medianMs([launcher, "--version"]);
  const bare = medianMs(["-e", "0"]);
  const ours = medianMs([launcher, "--version"]);
  return {
    name: "cold start of --version over bare node",
    value: `${(ours / bare).toFixed(2)}× (${ours.toFixed(0)} ms over ${bare.toFixed(0)} ms)`,
    limit: "≤ 2×",
  };
}
