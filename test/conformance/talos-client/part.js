import { readdirSync } from "node:fs";
import { join } from "node:path";
import { goOracle, runOurs, TALOS } from "../oracle.js";

const HERE = import.meta.dirname;

/** "machine/machine" of "machine/machine_pb.js" */
function generated() {
  const files = readdirSync(join(HERE, "../../../packages/wire/gen"), { recursive: true });
  return files.filter((file) => file.endsWith("_pb.js")).map((file) => file.replaceAll("\\", "/").replace("_pb.js", ""));
}

/** Each Talos minor's own client against lab machines of that minor, and its own codec against every message of packages/wire/protos. */
export async function talosClient(folder) {
  const said = [];
  for (const talos of TALOS) {
    const oracle = await goOracle("talos-client", talos);
    const version = talos.release;
    const ours = (name, args) => runOurs(join(HERE, `${name}.ts`), join(folder, talos.minor, name), [oracle, ...args]);
    const messages = (await ours("messages", [version, ...generated()])).trim();
    const play = (await ours("play", [version])).trim();
    said.push(`${version}: ${play}; ${messages}`);
  }
  return said.join("\n  ");
}
