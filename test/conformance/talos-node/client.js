import { setTimeout as sleep } from "node:timers/promises";
import { runIn } from "./talosmith.js";

/** Talos's own client looks at a node, with the talosconfig that we have made or, in maintenance mode, without: what it saw, or why it saw nothing. */
export async function lookAt(network, client, { address }, talosconfig) {
  const { code, said } = await runIn(network, [client, address, ...(talosconfig ? [talosconfig] : [])]);
  return code === 0 ? { seen: JSON.parse(said) } : { why: said.trim() };
}

/** The same until the node answers; fails with the last reason. */
export async function seenSoon(network, client, node, talosconfig) {
  const end = performance.now() + 120_000;
  for (;;) {
    const { seen, why } = await lookAt(network, client, node, talosconfig);
    if (seen) return seen;
    if (performance.now() > end) throw new Error(`${node.name} does not answer: ${why}`);
    await sleep(250);
  }
}
