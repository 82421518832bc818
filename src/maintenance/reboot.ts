import { isTransient, TalosmithError } from "@talosmith/lib/errors.ts";
import type { Write } from "../engine/step.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import type { ServiceNode } from "./standing.ts";

const REBOOT_MS = 10 * 60_000;
/** Stopping pods and services takes a node that long at the most; one that still answers then was never told to reboot. */
const GOES_DOWN_MS = 2 * 60_000;

/** Reboots a node through Talos, and waits until it answers from its next boot. */
export async function reboot(talos: TalosNodes, { name, ip }: ServiceNode, c: Write): Promise<void> {
  const api = talos.node(ip);
  const before = await api.bootId(c.signal);
  c.say("rebooting");
  const asked = c.world.clock.monotonic();
  const lost = await c
    .mutate({ key: `node ${name}`, what: `reboot ${name}` }, () => api.reboot(c.signal))
    .then(() => undefined, orThrow);
  await c.until({
    name: `${name} has rebooted`,
    timeoutMs: REBOOT_MS,
    poll: async ({ signal, world }) => {
      const now = await api.bootId(signal).catch(orThrow);
      if (now instanceof TalosmithError) return { reason: now.detail ?? now.message };
      if (now !== before) return true;
      // Asked again too soon, a node that is on its way down would reboot twice.
      if (lost && world.clock.monotonic() - asked > GOES_DOWN_MS) throw lost;
      return { reason: "it has not gone down yet" };
    },
  });
}

/** Returns a transient error, which a node gives when it is about to reboot; throws any other. */
function orThrow(error: unknown): TalosmithError {
  if (isTransient(error)) return error;
  throw error;
}
