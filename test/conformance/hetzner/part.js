import { join } from "node:path";
import { goModule, runOurs } from "../oracle.js";

/** Hetzner's own client, as it is published, against the lab's Hetzner Cloud. */
export async function hetzner(folder) {
  return (await runOurs(join(import.meta.dirname, "play.ts"), folder, [await goModule("hetzner")])).trim();
}
