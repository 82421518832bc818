import type { Json } from "@talosmith/lib/json.ts";
import * as z from "zod";
import type { Incoming, Reply, TaskFault } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import { actionView } from "./actions.ts";
import { bodyOf, byId, hetzner, listReply, moment } from "./call.ts";
import { applyTo, RESOURCE } from "./firewall-actions.ts";
import { checkLabels, selects } from "./labels.ts";
import { json, notUnique, Refused } from "./refused.ts";
import { checkRules, RULE } from "./rules.ts";
import { allServers } from "./servers.ts";
import type { FirewallState } from "./state.ts";

const NAME = z.string().min(1).max(128);
const LABELS = z.record(z.string(), z.string());
const NEW = z.object({
  name: NAME,
  labels: LABELS.default({}),
  rules: z.array(RULE).default([]),
  apply_to: z.array(RESOURCE).default([]),
});
const CHANGE = z.object({ name: NAME.exactOptional(), labels: LABELS.exactOptional() });

export function listFirewalls(lab: Lab, incoming: Incoming): Reply {
  return listReply("firewalls", hetzner(lab).firewalls, incoming, (firewall) => firewallView(lab, firewall));
}

export function getFirewall(lab: Lab, id: string): Reply {
  return json(200, { firewall: firewallView(lab, firewallById(lab, id)) });
}

export function createFirewall(lab: Lab, incoming: Incoming, fault: TaskFault | undefined): Reply {
  const { name, labels, rules, apply_to } = bodyOf(incoming, NEW);
  checkName(lab, name);
  const firewall: FirewallState = {
    id: lab.serial("hetzner firewall"),
    name,
    labels: checkLabels(labels),
    created: lab.now(),
    rules: checkRules(rules),
    servers: [],
    selectors: [],
  };
  const actions = applyTo(lab, firewall, apply_to, fault);
  hetzner(lab).firewalls.push(firewall);
  return json(201, { firewall: firewallView(lab, firewall), actions: actions.map(actionView) });
}

export function changeFirewall(lab: Lab, id: string, incoming: Incoming): Reply {
  const firewall = firewallById(lab, id);
  const { name, labels } = bodyOf(incoming, CHANGE);
  if (name !== undefined && name !== firewall.name) checkName(lab, name);
  firewall.name = name ?? firewall.name;
  firewall.labels = labels === undefined ? firewall.labels : checkLabels(labels);
  return getFirewall(lab, id);
}

export function deleteFirewall(lab: Lab, id: string): Reply {
  const { firewalls } = hetzner(lab);
  const firewall = firewallById(lab, id);
  if (firewall.servers.length + firewall.selectors.length > 0)
    throw new Refused("resource_in_use", `firewall with ID '${id}' is still in use`);
  firewalls.splice(firewalls.indexOf(firewall), 1);
  return { status: 204 };
}

export function firewallById(lab: Lab, id: string): FirewallState {
  const firewall = byId(hetzner(lab).firewalls, id);
  if (firewall === undefined) throw new Refused("not_found", `firewall with ID '${id}' not found`);
  return firewall;
}

function checkName(lab: Lab, name: string): void {
  if (hetzner(lab).firewalls.some((firewall) => firewall.name === name)) throw notUnique("name", "name is already used");
}

function firewallView(lab: Lab, firewall: FirewallState): Json {
  const server = (id: number) => ({ type: "server", server: { id } });
  const selected = (selector: string) => allServers(lab).filter(({ labels }) => selects(selector, labels));
  return {
    id: firewall.id,
    name: firewall.name,
    labels: firewall.labels,
    created: moment(firewall.created),
    rules: firewall.rules.map((rule) => ({ ...rule })),
    applied_to: [
      ...firewall.servers.map((on) => server(on.server)),
      ...firewall.selectors.map((selector) => ({
        type: "label_selector",
        label_selector: { selector },
        applied_to_resources: selected(selector).map(({ id }) => server(id)),
      })),
    ],
  };
}
