import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Skipped } from "./skipped.js";

// Not below node_modules: `npm ci` removes that.
const home = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "talosmith-conformance");

function folderOf(name, inputs) {
  const hash = createHash("sha256");
  for (const input of [process.platform, process.arch, ...inputs]) hash.update(`${Buffer.byteLength(input)}:`).update(input);
  return join(home, `${name}-${hash.digest("hex").slice(0, 16)}`);
}

/** The folder that was made out of these inputs, or undefined when it was not yet. */
export function found(name, inputs) {
  const folder = folderOf(name, inputs);
  return existsSync(folder) ? folder : undefined;
}

/** The folder made out of these inputs: made once, whole or not at all, and found again as long as the inputs stay the same. */
export async function cached(name, inputs, make) {
  const folder = folderOf(name, inputs);
  if (existsSync(folder)) return folder;
  mkdirSync(home, { recursive: true });
  const half = `${folder}.${process.pid}`;
  try {
    await make(half);
    renameSync(half, folder);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    // Another process may have made the same folder meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

let mayCompile = true;

/** From now on a part whose program would have to be compiled is skipped: in CI, whose machine may have no caches. */
export function compileNothing() {
  mayCompile = false;
}

/** Like `cached`, for a program that takes minutes to compile. */
export async function compiled(name, inputs, make) {
  if (!mayCompile && found(name, inputs) === undefined)
    throw new Skipped(`${name} is not compiled on this machine; npm run conformance does it`);
  return cached(name, inputs, make);
}
