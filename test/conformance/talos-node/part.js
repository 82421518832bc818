import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../execute.js";
import { goOracle, TALOS as ORACLES } from "../oracle.js";
import { Skipped } from "../skipped.js";
import { programs } from "./build.js";
import { BALANCED, NODES } from "./environment.js";
import { etcdImage, startRegistry } from "./images.js";
import { makeNetwork, sweepNamespaces } from "./network.js";
import { startNode, sweepGroups, whyNoNode } from "./node.js";
import { play } from "./play.js";
import { rootFileSystem } from "./root-file-system.js";
import { TALOS } from "./sources.js";
import { undoAll, undoLater } from "./undo.js";

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
    await startRegistry(network, [await etcdImage(folder, built)], folder);
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
