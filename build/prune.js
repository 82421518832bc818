import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const HOUR_MS = 3_600_000;
const BUILD = /^[0-9a-f]{16}$/;
const LEFTOVER = /^\.(building|lock|dead-lock|trash)-/;

/** Removes builds that nobody used for an hour and nobody runs now, and what broken-off starts left behind. */
export function prune(root, current) {
  const dist = join(root, "dist");
  for (const name of readdirSync(dist)) {
    const path = join(dist, name);
    if (name === current || !(BUILD.test(name) || LEFTOVER.test(name))) continue;
    try {
      if (Date.now() - statSync(path).mtimeMs < HOUR_MS || inUse(path)) continue;
      const trash = join(dist, `.trash-${name}`);
      // Gone in one go for everybody who looks for it, whatever happens to us in between.
      if (BUILD.test(name)) renameSync(path, trash);
      rmSync(BUILD.test(name) ? trash : path, { recursive: true, force: true });
    } catch {
      // Another process is at it as well, or may do what we may not; there is always a next build.
    }
  }
}

/** A running program loads parts of its build long after it began. */
function inUse(path) {
  return readdirSync(path).some((name) => {
    const pid = Number(/^used-by-(\d+)$/.exec(name)?.[1]);
    if (!pid) return false;
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return error.code === "EPERM";
    }
  });
}
