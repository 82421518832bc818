import { type TalosmithError, userError, type Where } from "@talosmith/lib/errors.ts";
import { contains, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Read } from "../../../../engine/step.ts";
import type { VpsNodeConfig } from "../../config/config-on-vps.ts";
import { type Loose, listOrNone, object, requiredNumber, requiredText, text } from "./answers.ts";
import type { HetznerClient, Patience } from "./client.ts";

export interface HetznerServer {
  readonly id: number;
  readonly name: string;
  /** "running", "off", "initializing" */
  readonly status: string;
  readonly rescueEnabled: boolean;
  /** Its address, and the network it was given: "203.0.113.11", "2001:db8:1::/64". */
  readonly addresses: readonly string[];
  readonly firewalls: readonly { readonly id: number; readonly status: string }[];
}

/** GET /servers, queried once per pass. */
export function allServers(client: HetznerClient, c: Read): Promise<HetznerServer[]> {
  return c.shared("hetzner servers", async () => (await client.all("/servers", "servers", c)).map(serverOf));
}

/** GET /servers/{id} */
export async function serverById(client: HetznerClient, id: string, patience: Patience): Promise<HetznerServer> {
  return serverOf(object((await client.get(`/servers/${id}`, patience)).server, "server"));
}

function serverOf(server: Loose): HetznerServer {
  const net = object(server.public_net ?? {}, "public_net");
  const addresses = [net.ipv4, net.ipv6].flatMap((one) => text(object(one ?? {}, "an address of a server").ip) ?? []);
  return {
    id: requiredNumber(server.id, "a server's id"),
    name: requiredText(server.name, "a server's name"),
    status: text(server.status) ?? "unknown",
    rescueEnabled: server.rescue_enabled === true,
    addresses,
    firewalls: listOrNone(net.firewalls, "a server's firewalls").map(({ id, status }) => ({
      id: requiredNumber(id, "a firewall's id"),
      status: text(status) ?? "",
    })),
  };
}

/** Finds a node's server by the name or id in the config, else by its address. */
export function serverFor(node: VpsNodeConfig, servers: readonly HetznerServer[], where: Where | undefined): HetznerServer {
  const { server, ip, secondIp } = node;
  const own = [ip, ...(secondIp === undefined ? [] : [secondIp])];
  const fitting =
    server === undefined
      ? servers.filter(({ addresses }) => own.some((address) => addresses.some((theirs) => hasAddress(theirs, address))))
      : servers.filter(({ id, name }) => name === server || String(id) === server);
  const [found] = fitting;
  if (found && fitting.length === 1) return found;
  throw notOne(node, fitting.length === 0 ? "none" : "several", fitting.length === 0 ? servers : fitting, where);
}

/** A server has one address of IPv4, and of IPv6 a whole network. */
function hasAddress(theirs: string, address: string): boolean {
  const ip = parseIp(address);
  const network = parseNetwork(theirs.includes("/") ? theirs : `${theirs}/${theirs.includes(":") ? 128 : 32}`);
  return ip !== undefined && network !== undefined && contains(network, ip);
}

function notOne(
  { name, ip, server }: VpsNodeConfig,
  count: "none" | "several",
  servers: readonly HetznerServer[],
  where: Where | undefined,
): TalosmithError {
  const wanted = server === undefined ? `has the address ${ip}` : `is called ${server}`;
  return userError(count === "none" ? "NO_SUCH_SERVER" : "AMBIGUOUS_SERVER", {
    message:
      count === "none"
        ? `No server of the Hetzner Cloud project ${wanted}, as node ${name} needs`
        : `Several servers of the Hetzner Cloud project could be node ${name}: each ${wanted}`,
    detail: servers.length === 0 ? "the project has no servers" : servers.map(shown).join("\n"),
    hint: `set nodes[].server of ${name} to the name or id of the right server, correct its ip, or use the token of the project that has it`,
    ...(where && { where }),
  });
}

function shown({ id, name, addresses, status }: HetznerServer): string {
  return `${name} (id ${id}, ${addresses.join(", ") || "no public address"}, ${status})`;
}
