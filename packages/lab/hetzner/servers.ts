import type { Json } from "@talosmith/lib/json.ts";
import * as z from "zod";
import type { Incoming, Reply } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import type { RescueHosts, RescueServer } from "../rescue/hosts.ts";
import { bodyOf, hetzner, listReply } from "./call.ts";
import { checkLabels, selects } from "./labels.ts";
import { json, Refused } from "./refused.ts";
import type { FirewallState, ServerState } from "./state.ts";

const FIRST_ID = 42_000_000;

export type Server = RescueServer & ServerState;

export function hosts(lab: Lab): RescueHosts {
  return lab.service<RescueHosts>("rescue");
}

export function allServers(lab: Lab): Server[] {
  const { servers } = hetzner(lab);
  return hosts(lab)
    .servers(lab)
    .map((host) => {
      const known = servers[host.name] ?? { id: FIRST_ID + lab.serial("hetzner server"), labels: {} };
      servers[host.name] = known;
      return { ...host, ...known };
    });
}

export function serverById(lab: Lab, id: string | number): Server {
  const server = allServers(lab).find((one) => String(one.id) === String(id));
  if (server === undefined) throw new Refused("not_found", `server with ID '${id}' not found`);
  return server;
}

export function listServers(lab: Lab, incoming: Incoming): Reply {
  const statuses = incoming.query.getAll("status");
  const servers = allServers(lab).filter((server) => statuses.length === 0 || statuses.includes(statusOf(server)));
  return listReply("servers", servers, incoming, (server) => serverView(lab, server));
}

export function getServer(lab: Lab, id: string): Reply {
  return json(200, { server: serverView(lab, serverById(lab, id)) });
}

const CHANGE = z.object({ labels: z.record(z.string(), z.string()).exactOptional() });

/** Changes a server's labels; its name belongs to the rescue service and does not change. */
export function changeServer(lab: Lab, id: string, incoming: Incoming): Reply {
  const { labels } = bodyOf(incoming, CHANGE);
  const known = hetzner(lab).servers[serverById(lab, id).name];
  if (labels && known) known.labels = checkLabels(labels);
  return getServer(lab, id);
}

/** The firewalls that filter for a server, with their state there. */
export function firewallsOn(lab: Lab, server: Server): { firewall: FirewallState; pending: boolean }[] {
  return hetzner(lab).firewalls.flatMap((firewall) => {
    const on = firewall.servers.find((one) => one.server === server.id);
    if (on) return [{ firewall, pending: on.pending }];
    return firewall.selectors.some((selector) => selects(selector, server.labels)) ? [{ firewall, pending: false }] : [];
  });
}

function statusOf({ isOn }: RescueServer): string {
  return isOn ? "running" : "off";
}

function serverView(lab: Lab, server: Server): Json {
  const { address } = server;
  const isV6 = address.includes(":");
  return {
    id: server.id,
    name: server.name,
    status: statusOf(server),
    created: "2026-01-05T09:30:00+00:00",
    public_net: {
      ipv4: isV6 ? null : { id: server.id + 1, ip: address, blocked: false, dns_ptr: `${server.name}.example` },
      ipv6: isV6 ? { id: server.id + 2, ip: `${address}/64`, blocked: false, dns_ptr: [] } : null,
      floating_ips: [],
      firewalls: firewallsOn(lab, server).map(({ firewall, pending }) => ({
        id: firewall.id,
        status: pending ? "pending" : "applied",
      })),
    },
    private_net: [],
    server_type: typeView(server.arch),
    location: { id: 1, name: "fsn1", country: "DE", city: "Falkenstein", network_zone: "eu-central" },
    image: null,
    iso: null,
    rescue_enabled: server.rescueNext,
    locked: server.lockedBy !== undefined,
    backup_window: null,
    protection: { delete: false, rebuild: false },
    labels: server.labels,
    volumes: [],
    load_balancers: [],
    primary_disk_size: 40,
    placement_group: null,
  };
}

function typeView(arch: RescueServer["arch"]): Json {
  const [id, name, architecture] = arch === "arm64" ? [45, "cax11", "arm"] : [114, "cx23", "x86"];
  return { id, name, architecture, cores: 2, memory: 4, disk: 40, cpu_type: "shared", storage_type: "local" } as Json;
}
