import { isTransient } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import type { Resource, TalosNode } from "../../talos/api/talos-node.ts";

/** The firewall that Talos is about to write to the kernel, then the kernel's links, addresses and routes. */
const KINDS = ["NfTablesChains", "LinkStatuses", "AddressStatuses", "RouteStatuses"].map((name) => ({
  namespace: "network",
  type: `${name}.net.talos.dev`,
}));

/** A text of a node's network resources, which differs after any change that they show. */
export async function networkState(api: TalosNode, signal: AbortSignal): Promise<string> {
  const kinds = await Promise.all(KINDS.map((kind) => api.resources(kind, signal)));
  return kinds.map((found) => found.map(inWords).sort().join(" ")).join("\n");
}

const inWords = ({ id, version, phase }: Resource) => `${id}@${version}${phase === "running" ? "" : ` ${phase}`}`;

/** Some changes, such as nameservers, do not show in these resources. */
const SHOWS_WITHIN_MS = 15_000;
/** Talos announces chains before the kernel has them, and changes links, addresses and routes one after the other. */
const SETTLE_MS = 5_000;
/** The limit of the wait: links of pods change all the time on a busy node. */
const LONGEST_MS = 45_000;

/**
 * Waits until a tried config has taken effect, since Talos responds earlier. `before` is the state before the trial. A node that no longer answers on
 * the old connection has changed too.
 */
export async function networkTakesEffect(api: TalosNode, name: string, before: string, c: Read): Promise<void> {
  const { clock } = c.world;
  const tried = clock.monotonic();
  let seen = before;
  let since = tried;
  await c.until({
    name: `${name} uses the new network`,
    timeoutMs: LONGEST_MS + SHOWS_WITHIN_MS,
    poll: async ({ signal }) => {
      const state = await networkState(api, signal).catch((error: unknown) => {
        if (!isTransient(error)) throw error;
        return "silent";
      });
      const now = clock.monotonic();
      if (state !== seen) [seen, since] = [state, now];
      if (seen === before && since === tried)
        return now - tried >= SHOWS_WITHIN_MS || { reason: "its resources do not show the change yet" };
      return now - since >= SETTLE_MS || now - tried >= LONGEST_MS || { reason: "its network is still changing" };
    },
  });
}
