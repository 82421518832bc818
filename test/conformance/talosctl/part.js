import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { withDemo } from "../lab.js";
import { programs } from "../talos-node/build.js";
import { CALLS, TABLES, UNANSWERED } from "./calls.js";

/** Talos's command line on a demo cluster: everything that people type, and what each call must show. */
export async function talosctl(folder, { make }) {
  const program = join(await programs({ make }), "talosctl");
  return withDemo(folder, async () => {
    const block = readFileSync(join(folder, ".lab/block"), "utf8").trim();
    const nodes = { cp: `${block}.11`, worker: `${block}.21` };
    const ask = (node, ...args) =>
      execute(program, [...args, "--talosconfig", join(folder, "talosconfig"), "--endpoints", nodes.cp, "--nodes", nodes[node]], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder },
      });

    for (const { node = "cp", args, shows } of CALLS) assert.match(await ask(node, ...args), shows, `talosctl ${args.join(" ")}`);
    for (const table of TABLES) {
      const lines = (await ask("cp", "get", table)).trim().split("\n");
      assert.ok(lines.length > 1, `talosctl get ${table}: rows`);
    }
    for (const args of UNANSWERED)
      await assert.rejects(ask("cp", ...args), /Unimplemented|unknown (method|service)/, `talosctl ${args.join(" ")}`);
    rmSync(join(folder, "support.zip"), { force: true });
    return `${CALLS.length} calls, ${TABLES.length} tables; ${UNANSWERED.length} refused as unknown`;
  });
}
