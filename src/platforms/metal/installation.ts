import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../config/config.ts";
import type { Read } from "../../engine/step.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

const IDENTITY = { namespace: "cluster", type: "Identities.cluster.talos.dev", id: "local" };

/** The id that a node generated when it was installed; it changes with each wipe. */
export async function installationOf(talos: TalosNodes, { name, ip }: NodeConfig, { signal }: Read): Promise<string> {
  const spec = (await talos.node(ip).resource(IDENTITY, signal))?.spec;
  if (typeof spec === "object" && spec !== null && "nodeId" in spec) return String(spec.nodeId);
  throw remoteError("NO_IDENTITY", {
    message: `Unable to recognise ${name}: it does not report its id yet`,
    hint: "wait until it has started, then run the same command again",
    transient: true,
  });
}

/** Like `installationOf`, but undefined for a node that does not answer, so that it does not stop a list of machines. */
export async function installationIfKnown(talos: TalosNodes, node: NodeConfig, c: Read): Promise<string | undefined> {
  // What is to be wiped or kept by this id must be known.
  if (node.discards !== undefined) return installationOf(talos, node, c);
  return installationOf(talos, node, c).catch((error: unknown) => {
    c.signal.throwIfAborted();
    if (error instanceof TalosmithError) return undefined;
    throw error;
  });
}
