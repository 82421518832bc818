import { type Ref, type Step, step, type Write } from "../../../../engine/step.ts";
import { actionDone, actionIds } from "./actions.ts";
import type { HetznerClient } from "./client.ts";
import { allFirewalls, type HetznerFirewall } from "./firewalls.ts";
import { isOurs } from "./mark.ts";
import { refusalOf } from "./refusal.ts";

/** A resource that a firewall can be applied to. */
export const onServer = (id: number) => ({ type: "server", server: { id } });
export const onSelector = (selector: string) => ({ type: "label_selector", label_selector: { selector } });

/** How long a firewall may still be reported in use after it was detached. */
const RELEASE_MS = 60_000;

/** Starts an action and waits until it has ended. */
export async function order(
  client: HetznerClient,
  path: string,
  body: Readonly<Record<string, unknown>>,
  { key, what }: { key: string; what: string },
  c: Write,
): Promise<void> {
  const ids = await c.mutate({ key, what }, async () => actionIds(await client.post(path, body, c)));
  for (const one of ids) await actionDone(client, c, one, what);
}

/** Detaches a firewall from all resources and deletes it. */
export async function removeFirewall(client: HetznerClient, firewall: HetznerFirewall, c: Write): Promise<void> {
  const { id, name, servers, selectors } = firewall;
  const key = `hetzner firewall ${name}`;
  const remove_from = [...servers.map(onServer), ...selectors.map(onSelector)];
  if (remove_from.length > 0) {
    const what = `detach the firewall ${name} from its servers`;
    await order(client, `/firewalls/${id}/actions/remove_from_resources`, { remove_from }, { key, what }, c);
  }
  await c.mutate({ key, what: `remove the firewall ${name}` }, async () => {
    await c.until({
      name: `the firewall ${name} is free`,
      timeoutMs: RELEASE_MS,
      poll: () => released(client, id, c),
    });
    return id;
  });
}

/** DELETE /firewalls/{id} */
async function released(client: HetznerClient, id: number, c: Write): Promise<true | { reason: string }> {
  try {
    await client.delete(`/firewalls/${id}`, c);
    return true;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.code === "resource_in_use") return { reason: refusal.message };
    if (refusal?.status === 404) return true;
    throw error;
  }
}

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
