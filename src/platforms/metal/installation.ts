import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../config/config.ts";
import type { Read } from "../../engine/step.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";

const IDENTITY = { namespace: "cluster", type: "Identities.cluster.talos.dev", id: "local" };

/** The id that a node made for itself when it was installed: another one after each wipe. Undefined while it does not say. */
export async function installationOf(talos: TalosNodes, { ip }: NodeConfig, { signal }: Read): Promise<string | undefined> {
  try {
    const id = (await talos.node(ip).resource(IDENTITY, signal))?.spec;
    return typeof id === "object" && id !== null && "nodeId" in id ? String(id.nodeId) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TalosmithError) return undefined;
    throw error;
  }
}
