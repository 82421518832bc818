import { type Ref, type Step, step } from "../../../../engine/step.ts";
import type { HetznerClient } from "./client.ts";
import { removeFirewall } from "./firewall-orders.ts";
import { allFirewalls, type HetznerFirewall } from "./firewalls.ts";
import { isOurs } from "./mark.ts";

/** Removes all firewalls that this environment created; other firewalls on the same servers stay. */
export function firewallRemoval(
  client: HetznerClient,
  environment: string,
  after: readonly Ref<unknown>[],
): Step<HetznerFirewall[], void> {
  const id = "firewall-removal";
  return step({
    id,
    stage: "provision",
    title: "firewalls at Hetzner Cloud",
    needs: after,
    observe: async (c) => {
      const ours = (await allFirewalls(client, c)).filter((one) => isOurs(one, environment));
      return ours.length === 0 ? { is: "absent" } : { is: "present", actual: ours, owner: "us" };
    },
    plan: (seen) =>
      "is" in seen && seen.is === "present"
        ? seen.actual.map(({ id: one, name }) => ({
            id: `${id}/${one}`,
            step: id,
            verb: "delete" as const,
            subject: `firewall ${name} at Hetzner Cloud`,
            fields: [],
          }))
        : [],
    apply: async (_, c) => {
      const ours = (await allFirewalls(client, c)).filter((one) => isOurs(one, environment));
      for (const firewall of ours) await removeFirewall(client, firewall, c);
    },
    output: () => undefined,
  });
}
