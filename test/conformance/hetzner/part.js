import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cached } from "../cache.js";
import { execute, version } from "../execute.js";
import { runOurs } from "../oracle.js";
import { Skipped } from "../skipped.js";

const HOME = join(import.meta.dirname, "../../oracles/hetzner");

/** Hetzner's own client, as it is published, against the lab's Hetzner Cloud. */
export async function hetzner(folder) {
  return (await runOurs(join(import.meta.dirname, "play.ts"), folder, [await built()])).trim();
}

async function built() {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const inputs = readdirSync(HOME)
    .sort()
    .map((file) => `${file}\n${readFileSync(join(HOME, file), "utf8")}`);
  const folder = await cached("hetzner", [go, ...inputs], async (half) => {
    mkdirSync(half, { recursive: true });
    await execute("go", ["build", "-ldflags=-s -w", "-o", join(half, "oracle"), "."], { cwd: HOME });
  });
  return join(folder, "oracle");
}
