import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../execute.js";
import { goOracle, TALOS as ORACLES } from "../oracle.js";
import { Skipped } from "../skipped.js";
import { programs } from "../talos-node/build.js";
import { startRegistry } from "../talos-node/images.js";
import { makeNetwork, sweepNamespaces } from "../talos-node/network.js";
import { TALOS } from "../talos-node/sources.js";
import { undoAll, undoLater } from "../talos-node/undo.js";
import { makeDisk } from "./disk.js";
import { NODE } from "./environment.js";
import { startGuest, whyNoGuest } from "./guest.js";
import { images } from "./images.js";
import { kernel } from "./kernel.js";
import { play } from "./play.js";
import { KUBERNETES_RELEASE, kubernetesPrograms } from "./programs.js";

const NEEDED = {
  ...{ ip: ["-V"], unshare: ["--version"], nsenter: ["--version"], setpriv: ["--version"] },
  ...{ tar: ["--version"], mke2fs: ["-V"], kubectl: ["version", "--client"] },
};

/** A real Talos node with real Kubernetes on a kernel of its own, made a cluster by the product, and asked by Talos's client and kubectl. */
export async function realCluster(folder, { make }) {
  const why = whyNoGuest();
  if (why !== undefined) throw new Skipped(why);
  for (const [program, args] of Object.entries(NEEDED))
    if ((await version(program, ...args)) === undefined) throw new Skipped(`there is no ${program}`);
  const linux = await kernel({ make });
  const built = { talos: await programs({ make }), kubernetes: await kubernetesPrograms({ make }) };
  const client = await goOracle(
    "talos-node-client",
    ORACLES.find(({ minor }) => TALOS.startsWith(`v${minor}.`)),
  );
  sweepNamespaces();
  mkdirSync(folder, { recursive: true });
  undoLater(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const network = makeNetwork();
    await startRegistry(network, await images(folder, built), folder);
    const disk = join(folder, "disk");
    await makeDisk(disk, built);
    const guest = startGuest(network, NODE, { linux, disk, folder: join(folder, NODE.name) });
    const facts = await play({ network, guest, client, folder });
    return `Talos ${TALOS} with Kubernetes ${KUBERNETES_RELEASE}: ${facts.length} facts`;
  } finally {
    const left = undoAll();
    if (left.length > 0) console.error(`real-cluster leaves something behind:\n${left.join("\n")}`);
  }
}
