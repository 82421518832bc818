import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { execute, version } from "../execute.js";
import { goOracle, TALOS as ORACLES } from "../oracle.js";
import { Skipped } from "../skipped.js";
import { programs } from "./build.js";
import { BALANCED, NODES, REGISTRY_PORT } from "./environment.js";
import { GATEWAY, makeNetwork, spawnIn, sweepNamespaces } from "./network.js";
import { startNode, sweepGroups, whyNoNode } from "./node.js";
import { play } from "./play.js";
import { rootFileSystem } from "./root-file-system.js";
import { TALOS } from "./sources.js";
import { undoAll, undoLater } from "./undo.js";

const HERE = import.meta.dirname;
const NEEDED = { ip: ["-V"], unshare: ["--version"], nsenter: ["--version"], setpriv: ["--version"], tar: ["--version"] };

/** Real Talos nodes in namespaces of this machine, made a cluster by the product and asked by Talos's own client. */
export async function talosNode(folder, { make }) {
  const why = whyNoNode();
  if (why !== undefined) throw new Skipped(why);
  for (const [program, args] of Object.entries(NEEDED))
    if ((await version(program, ...args)) === undefined) throw new Skipped(`there is no ${program}`);
  const built = await programs({ make });
  const root = await rootFileSystem(built);
  const client = await goOracle(
    "talos-node-client",
    ORACLES.find(({ minor }) => TALOS.startsWith(`v${minor}.`)),
  );
  sweepGroups();
  sweepNamespaces();
  mkdirSync(folder, { recursive: true });
  undoLater(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const network = makeNetwork();
    await startRegistry(network, join(built, "etcd"), join(folder, "registry"));
    const start = (node) => [node.name, startNode(network, node, root, join(folder, node.name))];
    const nodes = new Map([...NODES, ...BALANCED].map(start));
    const environment = join(folder, "environment");
    const facts = await play({ network, nodes, environment, client });
    return `Talos ${TALOS}, ${nodes.size} nodes: ${facts.length} facts`;
  } finally {
    const left = undoAll();
    if (left.length > 0) console.error(`talos-node leaves something behind:\n${left.join("\n")}`);
  }
}

/** The registry that the nodes pull etcd from: a layer with the program where Talos starts it. */
async function startRegistry(network, etcd, folder) {
  const program = join(folder, "usr/local/bin");
  mkdirSync(program, { recursive: true });
  const layer = join(folder, "layer.tar");
  await execute("cp", ["--reflink=auto", etcd, join(program, "etcd")]);
  await execute("tar", ["--create", "--file", layer, "--directory", folder, "--owner=0", "--group=0", "usr"]);
  const command = [process.execPath, join(HERE, "registry.js"), GATEWAY, String(REGISTRY_PORT), layer];
  const child = spawnIn(network, command, { stdio: ["ignore", "pipe", "inherit"] });
  undoLater(() => child.kill("SIGKILL"));
  await new Promise((ready, failed) => {
    child.stdout.once("data", ready);
    child.once("close", (code) => failed(new Error(`the registry has ended with ${code}`)));
  });
  child.stdout.resume();
}
