import { listenAddress } from "../kernel/address-map.ts";
import type { Door, Lab } from "../kernel/kernel.ts";
import { letsIn } from "./rules.ts";
import { allServers, firewallsOn, type Server } from "./servers.ts";
import type { Rule } from "./state.ts";

/** Where the lab plays SSH, which every rule calls 22. */
const SSH_DOOR = 2222;
const SSH = 22;

/** Firewalls add up: what one of them lets in is in. A server with a firewall, even an empty one, drops everything else. */
export function admits(lab: Lab, to: Pick<Door, "host" | "port">, remote: string): boolean | "silent" {
  const servers = allServers(lab);
  const server = servers.find(({ address }) => listenAddress(lab, address) === to.host);
  const rules = server && rulesBefore(lab, server);
  if (server === undefined || rules === undefined) return true;
  const sources = sourcesOf(lab, servers, server, remote);
  // What comes from itself never leaves it.
  if (sources.includes(server.address)) return true;
  const ports = to.port === SSH_DOOR ? [SSH_DOOR, SSH] : [to.port];
  return rules.some((rule) => ports.some((port) => sources.some((source) => letsIn(rule, port, source)))) ? true : "silent";
}

/** undefined: nothing filters there, or not yet. */
function rulesBefore(lab: Lab, server: Server): Rule[] | undefined {
  const active = firewallsOn(lab, server).flatMap(({ firewall }) => {
    const on = firewall.servers.find((one) => one.server === server.id);
    const rules = on === undefined ? firewall.rules : on.active;
    return rules === undefined ? [] : [rules];
  });
  return active.length === 0 ? undefined : active.flat();
}

/** The lab plays networks on loopback addresses, where the last number says which address of the server's own network is meant. */
function sourcesOf(lab: Lab, servers: readonly Server[], server: Server, remote: string): string[] {
  const plain = remote.replace(/^::ffff:/, "");
  if (!plain.startsWith(`${lab.address.prefix}.`)) return [plain];
  const sender = servers.find(({ address }) => listenAddress(lab, address) === plain);
  if (sender) return [plain, sender.address];
  return server.address.includes(":")
    ? [plain]
    : [plain, [...server.address.split(".").slice(0, 3), plain.split(".")[3]].join(".")];
}
