import { execFileSync } from "node:child_process";

/**
 * The seed of all property tests of a run. It follows from the commit: new commits draw new cases, and a commit that has passed passes again.
 * PROPERTY_SEED=… repeats a run, also for vitest alone.
 */
export function propertySeed() {
  return process.env.PROPERTY_SEED ?? String(Number.parseInt(commit().slice(0, 7), 16));
}

export function commit() {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    // Not a git checkout.
    return "0000000";
  }
}
