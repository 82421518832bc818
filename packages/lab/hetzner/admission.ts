import { listenAddress } from "../kernel/address-map.ts";
import type { Door, Lab } from "../kernel/kernel.ts";
import { letsIn } from "./rules.ts";
import { allServers, firewallsOn, type Server } from "./servers.ts";
import type { Rule } from "./state.ts";

/** The port on which the lab simulates SSH; firewall rules name it 22. */
const SSH_DOOR = 2222;
const SSH = 22;

/**
 * Whether firewalls let a connection in. What any of a server's firewalls allows is let in; a server with a firewall, even an empty one, drops
 * everything else.
 */
export function admits(lab: Lab, to: Pick<Door, "host" | "port">, remote: string): boolean | "silent" {
  const servers = allServers(lab);
  const server = servers.find(({ address }) => listenAddress(lab, address) === to.host);
  const rules = server && rulesBefore(lab, server);
  if (server === undefined || rules === undefined) return true;
  const sources = sourcesOf(lab, servers, server, remote);
  // A server's connections to itself pass no firewall.
  if (sources.includes(server.address)) return true;
  const ports = to.port === SSH_DOOR ? [SSH_DOOR, SSH] : [to.port];
  return rules.some((rule) => ports.some((port) => sources.some((source) => letsIn(rule, port, source)))) ? true : "silent";
}

/** The active rules of a server; undefined when no firewall filters, or not yet. */
function rulesBefore(lab: Lab, server: Server): Rule[] | undefined {
  const active = firewallsOn(lab, server).flatMap(({ firewall }) => {
    const on = firewall.servers.find((one) => one.server === server.id);
    const rules = on === undefined ? firewall.rules : on.active;
    return rules === undefined ? [] : [rules];
  });
  return active.length === 0 ? undefined : active.flat();
}

/** The addresses that a connection may come from: the lab simulates other networks on loopback addresses with the same last number. */
function sourcesOf(lab: Lab, servers: readonly Server[], server: Server, remote: string): string[] {
  const plain = remote.replace(/^::ffff:/, "");
  if (!plain.startsWith(`${lab.address.prefix}.`)) return [plain];
  const sender = servers.find(({ address }) => listenAddress(lab, address) === plain);
  if (sender) return [plain, sender.address];
  return server.address.includes(":")
    ? [plain]
    : [plain, [...server.address.split(".").slice(0, 3), plain.split(".")[3]].join(".")];
}
