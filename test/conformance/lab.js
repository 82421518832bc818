import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "./execute.js";

const TALOSMITH = join(import.meta.dirname, "../../talosmith");

const running = new Set();

/** Somebody who presses Ctrl-C does not want a lab left behind either. */
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await Promise.all([...running].map(stop));
    process.exit(1);
  });
}

function stop(environment) {
  return execute(process.execPath, [TALOSMITH, "lab", "stop", environment]).finally(() => running.delete(environment));
}

/** A whole cluster of one's own while `play` runs, made by `talosmith demo`. */
export async function withDemo(environment, play, args = []) {
  running.add(environment);
  try {
    await execute(process.execPath, [TALOSMITH, "demo", environment, "--speed", "100", ...args]);
    return await play();
  } finally {
    await stop(environment);
  }
}

/** The releases of Proxmox that a lab can play. */
const RELEASES = ["8.4", "9.2"];

/** A lab of each of these releases while `play` runs, which is given how to reach them. */
export async function withReleases(environment, play, releases = RELEASES) {
  const open = (release, then) =>
    withLab(`${environment}-${release}`, (lab) => then({ release, ...lab }), ["--proxmox", release]);
  const all = (left, reached) =>
    left.length === 0 ? play(reached) : open(left[0], (lab) => all(left.slice(1), [...reached, lab]));
  return all(releases, []);
}

/** A lab of one's own while `play` runs: how to reach it is what `play` is given. */
export async function withLab(environment, play, args = []) {
  running.add(environment);
  try {
    await execute(process.execPath, [TALOSMITH, "lab", "start", environment, "--speed", "200", "--idle", "5", ...args]);
    const told = (name) => readFileSync(join(environment, ".lab", name), "utf8").trim();
    const names = ["url", "factory", "fingerprint", "token", "ssh-host", "ssh-port", "ssh-host-key"];
    return await play(Object.fromEntries(names.map((name) => [name, told(name)])));
  } finally {
    await stop(environment);
  }
}
