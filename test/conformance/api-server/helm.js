import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromModule } from "../charts/from-module.js";
import { CHARTS, DEFINITIONS } from "../charts/part.js";
import { execute } from "../execute.js";
import { realHelm } from "../helm/binary.js";
import { runOurs } from "../oracle.js";

const HERE = import.meta.dirname;

/** By their names in ../charts/write.ts. metrics-server last: its API is registered, and nobody answers there. */
const INSTALLED = ["cilium", "certManager", "localPath", "metricsServer"];

/** A real helm installs real charts with our values into the real server, by our command; and our own objects meet the definitions of their kinds there. */
export async function addonsOn(where, kubeconfig, folder) {
  const written = join(folder, "addons.json");
  writeFileSync(written, await runOurs(join(HERE, "../charts/write.ts"), join(folder, "addons"), []));
  const ours = async (what, ...args) =>
    JSON.parse(await runOurs(join(HERE, "addons.ts"), join(folder, what), [what, where, written, ...args]));
  const definitions = await Promise.all(DEFINITIONS.map((one) => fromModule(...one)));
  const judged = await ours("judge", ...definitions);
  const helm = await realHelm();
  const addons = JSON.parse(readFileSync(written, "utf8"));
  const releases = INSTALLED.map((name) => addons[name].parts.find(({ kind }) => kind === "release"));
  const commands = await ours("commands", ...INSTALLED);
  for (const [n, [, ...command]] of commands.entries()) {
    const { chart, name, values } = releases[n];
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(values));
    const args = fromFolder(command, await fromModule(...CHARTS[chart]), file);
    // Hooks are Jobs, and nothing runs here.
    const said = await execute(helm, [...args, "--no-hooks"], { env: { HOME: folder, KUBECONFIG: kubeconfig } });
    assert.match(said, /STATUS: deployed/, `helm ${args.join(" ")}`);
  }
  assert.equal(await ours("read", ...INSTALLED), INSTALLED.length);
  return `${judged} objects, ${commands.length} real charts`;
}

/** The same command with the chart and the values from files of this machine. */
function fromFolder(command, chart, values) {
  const dropped = command.flatMap((word, at) => (["--repo", "--version"].includes(word) ? [at, at + 1] : []));
  const args = command.filter((_, at) => !dropped.includes(at));
  args[3] = chart;
  args[args.indexOf("--values") + 1] = values;
  return args;
}
