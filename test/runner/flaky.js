import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commit } from "./seed.js";

/** Tracked by git on purpose: a flaky test shows up in `git status` until its cause is fixed and its entry removed. */
const FILE = join(import.meta.dirname, "../flaky.json");

export function rememberFlaky(flaky, seed) {
  if (flaky.length === 0) return;
  const entries = flaky.map(({ file, name, message }) => ({ file, test: name, seed, commit: commit(), message }));
  writeFileSync(FILE, `${JSON.stringify([...read(), ...entries], null, 2)}\n`);
}

function read() {
  try {
    return JSON.parse(readFileSync(FILE, "utf8"));
  } catch {
    return [];
  }
}
