import { join } from "node:path";
import { goOracle, runOurs } from "../oracle.js";

/** Talos's own client against the lab's machines, from maintenance mode to a running cluster. */
export async function talosClient(folder) {
  const oracle = await goOracle("talos-client");
  return (await runOurs(join(import.meta.dirname, "play.ts"), folder, [oracle])).trim();
}
