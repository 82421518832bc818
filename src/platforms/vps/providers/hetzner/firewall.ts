import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Role } from "../../../../config/config.ts";
import { type Change, type Field, type Finding, known, type Read, type Seen, type Step, step } from "../../../../engine/step.ts";
import { type Environment, environmentId } from "../../../../environment/environment.ts";
import type { ConfigOnVps } from "../../config/config-on-vps.ts";
import { inboundRules } from "../inbound.ts";
import type { HetznerClient } from "./client.ts";
import { onSelector, onServer, order, removeFirewall } from "./firewall-orders.ts";
import { allFirewalls, type HetznerFirewall, meaningOf, providerRules } from "./firewalls.ts";
import { isOurs, labelsFor, nameFor } from "./mark.ts";
import { roomFor } from "./room.ts";
import { allServers, type HetznerServer, serverFor } from "./servers.ts";

/** How long a firewall may take to be in force on a server. */
const IN_FORCE_MS = 5 * 60_000;

export const firewallStepId = (role: Role) => `firewall/${role}`;
const ROLES: Record<Role, string> = { controlplane: "control planes", worker: "workers" };

/** The firewall as it is, with everything that the findings report. */
interface Standing {
  readonly firewall: HetznerFirewall | undefined;
  /** The resources it is applied to; nodes by their names in the config. */
  readonly on: readonly string[];
  /** Other firewalls of the same servers, in words. */
  readonly others: readonly string[];
}

/**
 * The provider's firewall for the servers of a role: it allows what the nodes themselves allow, and SSH to their rescue systems. None is wanted when
 * the config has no firewall, or no such node.
 */
export function roleFirewall(env: Environment<ConfigOnVps>, client: HetznerClient, role: Role): Step<Standing, void> {
  const { config } = env;
  const id = firewallStepId(role);
  const subject = `firewall of the ${ROLES[role]} at Hetzner Cloud`;
  const nodes = config.firewall ? config.nodes.filter((node) => node.role === role) : [];
  const wanted = config.firewall && nodes.length > 0 ? providerRules(inboundRules(config, config.firewall, role)) : undefined;
  const meaning = wanted && meaningOf(wanted);
  const names = nodes.map(({ name }) => name).sort();

  const serversOf = async (c: Read): Promise<{ name: string; server: HetznerServer }[]> => {
    const all = nodes.length === 0 ? [] : await allServers(client, c);
    return nodes.map((node) => ({ name: node.name, server: serverFor(node, all, env.where(["nodes", node.name, "server"])) }));
  };

  return step({
    id,
    stage: "provision",
    title: subject,
    needs: [environmentId],
    observe: async (c): Promise<Seen<Standing>> => {
      const environment = known(c, environmentId);
      if (wanted) roomFor(wanted, env.where(["firewall"]));
      const all = await allFirewalls(client, c);
      const firewall = all.find((one) => isOurs(one, environment, role));
      const stranger = all.find((one) => one.name === nameFor(environment, role) && one !== firewall);
      if (wanted && !firewall && stranger) return { is: "unreadable", why: notOurs(stranger) };
      const servers = await serversOf(c);
      const named = new Map(servers.map(({ name, server }) => [server.id, name]));
      const on = (firewall?.servers ?? []).map((server) => named.get(server) ?? `server ${server}`);
      const others = servers.flatMap(({ name, server }) => otherFirewalls(name, server, firewall, all));
      const selected = (firewall?.selectors ?? []).map((selector) => `servers labelled ${selector}`);
      const actual = { firewall, on: [...on, ...selected].sort(), others };
      return firewall || others.length > 0 ? { is: "present", actual, owner: "us" } : { is: "absent" };
    },
    plan: (seen): Change[] => {
      const now = "is" in seen && seen.is === "present" ? seen.actual : undefined;
      if (!meaning) return now?.firewall ? [{ id, step: id, verb: "delete", subject, fields: [] }] : [];
      const fields = [
        ...ruleFields(now?.firewall ? meaningOf(now.firewall.rules) : new Map(), meaning),
        ...difference("servers", now?.firewall ? now.on : null, names),
      ];
      return fields.length === 0 ? [] : [{ id, step: id, verb: now?.firewall ? "update" : "create", subject, fields }];
    },
    notes: (seen) => {
      if (!config.firewall) return role === "controlplane" ? [LEFT_OPEN] : [];
      return seen.is === "present" ? seen.actual.others.map(addsUp) : [];
    },
    apply: async (_, c) => {
      const environment = known(c, environmentId);
      const firewall = (await allFirewalls(client, c)).find((one) => isOurs(one, environment, role));
      if (!wanted) {
        if (firewall) await removeFirewall(client, firewall, c);
        return;
      }
      const servers = (await serversOf(c)).map(({ server }) => server.id);
      if (!firewall) {
        const body = {
          name: nameFor(environment, role),
          labels: labelsFor(environment, role),
          rules: wanted,
          apply_to: servers.map(onServer),
        };
        return order(client, "/firewalls", body, { key: `hetzner firewall ${body.name}`, what: `make the ${subject}` }, c);
      }
      const act = (action: string, body: Readonly<Record<string, unknown>>, what: string) =>
        order(client, `/firewalls/${firewall.id}/actions/${action}`, body, { key: `hetzner firewall ${firewall.name}`, what }, c);
      if (ruleFields(meaningOf(firewall.rules), meaningOf(wanted)).length > 0)
        await act("set_rules", { rules: wanted }, `set the rules of the ${subject}`);
      const missing = servers.filter((server) => !firewall.servers.includes(server));
      if (missing.length > 0)
        await act("apply_to_resources", { apply_to: missing.map(onServer) }, `put the ${subject} on ${missing.length} more`);
      const extra = [
        ...firewall.servers.filter((server) => !servers.includes(server)).map(onServer),
        ...firewall.selectors.map(onSelector),
      ];
      if (extra.length > 0)
        await act(
          "remove_from_resources",
          { remove_from: extra },
          `remove the ${subject} from servers that are not nodes of this role`,
        );
    },
    settle: wanted ? [inForce(serversOf, subject)] : [],
    output: () => undefined,
  });
}

/** The rules that differ, surplus ones first; rules without a difference are not listed. */
function ruleFields(now: ReadonlyMap<string, string[]>, wanted: ReadonlyMap<string, string[]>): Field[] {
  return [...new Set([...now.keys(), ...wanted.keys()])].flatMap((title) =>
    difference(title, now.get(title) ?? null, wanted.get(title) ?? null),
  );
}

function difference(path: string, from: readonly string[] | null, to: readonly string[] | null): Field[] {
  const shown = (list: readonly string[] | null) => list?.join(", ") ?? null;
  return shown(from) === shown(to) ? [] : [{ path, from: shown(from), to: shown(to) }];
}

function otherFirewalls(
  name: string,
  server: HetznerServer,
  ours: HetznerFirewall | undefined,
  all: readonly HetznerFirewall[],
): string[] {
  return server.firewalls
    .filter(({ id }) => id !== ours?.id)
    .map(({ id }) => `${name} has the firewall ${all.find((one) => one.id === id)?.name ?? id}`);
}

const LEFT_OPEN: Finding = {
  level: "ok",
  code: "NO_PROVIDER_FIREWALL",
  message: "firewall.enabled is false: the servers get no firewall at Hetzner Cloud either",
};

function addsUp(other: string): Finding {
  return {
    level: "warn",
    code: "OTHER_FIREWALL",
    message: `${other} too: the traffic it allows is allowed in addition`,
    hint: "remove it from the server in the console of Hetzner Cloud if that is not intended",
  };
}

function notOurs({ name, id }: HetznerFirewall): TalosmithError {
  return userError("FOREIGN_FIREWALL", {
    message: `The firewall ${name} (id ${id}) at Hetzner Cloud does not have this environment's labels: talosmith did not create it`,
    hint: "rename it or remove it in the console of Hetzner Cloud; nothing was changed",
  });
}

function inForce(serversOf: (c: Read) => Promise<{ name: string; server: HetznerServer }[]>, subject: string) {
  return {
    name: `${subject} is in force`,
    timeoutMs: IN_FORCE_MS,
    poll: async (c: Read) => {
      // A look of its own each time.
      const late = (await serversOf({ ...c, shared: (_, load) => load() })).find(({ server }) =>
        server.firewalls.some(({ status }) => status === "pending"),
      );
      return late ? { reason: `it is not yet in force on ${late.name}` } : (true as const);
    },
  };
}
