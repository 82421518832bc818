import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { withDemo } from "../lab.js";
import { talosctlProgram } from "../talos-node/build.js";
import { CALLS, REFUSED, TABLES } from "./calls.js";

/** Talos's command line on a demo cluster: what people type, and what each call must show. */
export async function talosctl(folder, { make }) {
  const program = await talosctlProgram({ make });
  return withDemo(folder, async () => {
    const ask = askDemo(program, folder);
    const wrong = [];
    const check = (call, work) =>
      work.catch((error) => wrong.push(`talosctl ${call.join(" ")}: ${error instanceof Error ? error.message : error}`));
    for (const { node = "cp", args, shows, makes = "" } of CALLS)
      await check(
        args,
        ask(node, args).then((said) => {
          assert.match(said, shows);
          assert.ok(existsSync(join(folder, makes)), `there is no ${makes}`);
        }),
      );
    for (const table of TABLES)
      await check(
        ["get", table],
        ask("cp", ["get", table]).then((said) => assert.ok(said.trim().split("\n").length > 1, "no rows")),
      );
    for (const args of REFUSED)
      await check(
        args,
        ask("cp", args).then(
          () => assert.fail("it is answered"),
          (error) => assert.match(error.message, /code = Unimplemented/),
        ),
      );
    assert.deepEqual(wrong, [], wrong.join("\n"));
    return `${CALLS.length} calls and ${TABLES.length} tables answered, ${REFUSED.length} calls refused as Unimplemented`;
  });
}

/** Calls talosctl for a node of the demo in this folder, by its role: what it prints. */
export function askDemo(program, folder) {
  const [, block] = /ip: (\S+)\.11 /.exec(readFileSync(join(folder, "config.yaml"), "utf8"));
  const addresses = { cp: `${block}.11`, worker: `${block}.21` };
  const always = ["--talosconfig", join(folder, "talosconfig"), "--endpoints", addresses.cp];
  const env = { PATH: process.env.PATH, HOME: folder };
  return (node, args) => execute(program, [...args, ...always, "--nodes", addresses[node]], { cwd: folder, env });
}
