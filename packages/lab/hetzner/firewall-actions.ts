import * as z from "zod";
import type { Incoming, Reply, TaskFault } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import { actionView, beginAction, type Effect } from "./actions.ts";
import { bodyOf, byId, hetzner } from "./call.ts";
import { json, Refused } from "./refused.ts";
import { checkRules, RULE } from "./rules.ts";
import { allServers } from "./servers.ts";
import type { ActionState, FirewallState } from "./state.ts";

export const RESOURCE = z.discriminatedUnion("type", [
  z.object({ type: z.literal("server"), server: z.object({ id: z.int() }) }),
  z.object({ type: z.literal("label_selector"), label_selector: z.object({ selector: z.string().min(1) }) }),
]);

type Resource = z.infer<typeof RESOURCE>;

const TAKES_MS = 3_000;
const MOST_FIREWALLS = 5;

const RULES = z.object({ rules: z.array(RULE) });
const APPLY = z.object({ apply_to: z.array(RESOURCE).min(1) });
const REMOVE = z.object({ remove_from: z.array(RESOURCE).min(1) });

/** Replaces the rules. The API shows them at once; servers apply them when their actions have ended. */
export function setRules(lab: Lab, firewall: FirewallState, incoming: Incoming, fault: TaskFault | undefined): Reply {
  firewall.rules = checkRules(bodyOf(incoming, RULES).rules);
  const own = begin(lab, "set_firewall_rules", firewall, undefined, { does: "nothing" }, fault);
  const applied = firewall.servers.map((on) => bring(lab, firewall, on.server, fault));
  return json(201, { actions: [own, ...applied].map(actionView) });
}

export function applyFirewall(lab: Lab, firewall: FirewallState, incoming: Incoming, fault: TaskFault | undefined): Reply {
  const actions = applyTo(lab, firewall, bodyOf(incoming, APPLY).apply_to, fault);
  return json(201, { actions: actions.map(actionView) });
}

/** Applies the firewall to all resources, or to none when one is invalid. */
export function applyTo(
  lab: Lab,
  firewall: FirewallState,
  resources: readonly Resource[],
  fault: TaskFault | undefined,
): ActionState[] {
  const servers = resources.flatMap((one) => (one.type === "server" ? [one.server.id] : []));
  if (new Set(servers).size < servers.length) throw new Refused("server_already_added", "server added more than one time");
  for (const id of servers) {
    if (!allServers(lab).some((server) => server.id === id)) throw notThere(id);
    if (firewall.servers.some((on) => on.server === id))
      throw new Refused("firewall_already_applied", `firewall already applied on server with ID '${id}'`);
    const before = hetzner(lab).firewalls.filter((other) => other.servers.some((on) => on.server === id)).length;
    if (before >= MOST_FIREWALLS)
      throw new Refused("resource_limit_exceeded", `server with ID '${id}' has ${MOST_FIREWALLS} firewalls already`);
  }
  for (const one of resources) if (one.type === "label_selector") firewall.selectors.push(one.label_selector.selector);
  return servers.map((id) => {
    firewall.servers.push({ server: id, pending: true });
    return bring(lab, firewall, id, fault);
  });
}

/** Removes the firewall; it filters until its action has ended. A server without it is not an error. */
export function removeFirewall(lab: Lab, firewall: FirewallState, incoming: Incoming, fault: TaskFault | undefined): Reply {
  const resources = bodyOf(incoming, REMOVE).remove_from;
  const servers = resources.flatMap((one) => (one.type === "server" ? [one.server.id] : []));
  for (const id of servers) if (!allServers(lab).some((server) => server.id === id)) throw notThere(id);
  for (const one of resources)
    if (one.type === "label_selector")
      firewall.selectors = firewall.selectors.filter((selector) => selector !== one.label_selector.selector);
  const on = servers.filter((id) => firewall.servers.some(({ server }) => server === id));
  const actions = on.map((id) =>
    begin(lab, "remove_firewall", firewall, id, { does: "remove_firewall", firewall: firewall.id, server: id }, fault),
  );
  return json(201, { actions: actions.map(actionView) });
}

/** Applies the effect at the end of the action. */
export function firewallEffect(lab: Lab, effect: Effect): void {
  const firewall = byId(hetzner(lab).firewalls, effect.firewall as number);
  const on = firewall?.servers.find(({ server }) => server === effect.server);
  if (firewall === undefined || on === undefined) return;
  if (effect.does === "remove_firewall") firewall.servers.splice(firewall.servers.indexOf(on), 1);
  if (effect.does === "apply_firewall") {
    on.active = structuredClone(firewall.rules);
    on.pending = false;
  }
}

function bring(lab: Lab, firewall: FirewallState, server: number, fault: TaskFault | undefined): ActionState {
  for (const on of firewall.servers) if (on.server === server) on.pending = true;
  return begin(lab, "apply_firewall", firewall, server, { does: "apply_firewall", firewall: firewall.id, server }, fault);
}

function begin(
  lab: Lab,
  command: string,
  firewall: FirewallState,
  server: number | undefined,
  effect: Effect,
  fault: TaskFault | undefined,
): ActionState {
  const resources: ActionState["resources"] = [{ id: firewall.id, type: "firewall" }];
  if (server !== undefined) resources.push({ id: server, type: "server" });
  return beginAction(lab, { command, takesMs: TAKES_MS, resources, effect, fault });
}

function notThere(id: number): Refused {
  return new Refused("firewall_resource_not_found", `server with ID '${id}' not found`);
}
