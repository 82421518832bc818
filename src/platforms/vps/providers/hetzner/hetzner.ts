import { internalError } from "@talosmith/lib/errors.ts";
import type { Meter } from "@talosmith/lib/http/client.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Environment } from "../../../../environment/environment.ts";
import type { ConfigOnVps, VpsNodeConfig } from "../../config/config-on-vps.ts";
import type { Provider, ProviderServer } from "../provider.ts";
import { type HetznerAccess, HetznerClient } from "./client.ts";
import { firewallStepId, roleFirewall } from "./firewall.ts";
import { firewallRemoval } from "./firewall-orders.ts";
import { enterRescue, leaveRescue } from "./rescue.ts";
import { allServers, serverFor } from "./servers.ts";

const ROLES = ["controlplane", "worker"] as const;

export function hetznerProvider(world: World, env: Environment<ConfigOnVps>, access: HetznerAccess): Provider {
  const meter: Meter = { calls: 0, bytes: 0 };
  const client = new HetznerClient(world, access, meter);
  /** The node of each server, by the server's id. */
  const nodes = new Map<string, VpsNodeConfig>();
  return {
    name: "Hetzner Cloud",
    server: async (node, c) => {
      const found = serverFor(node, await allServers(client, c), env.where(["nodes", node.name, "server"]));
      nodes.set(String(found.id), node);
      return { id: String(found.id), name: found.name, state: found.status, inRescue: found.rescueEnabled };
    },
    enterRescue: (server, c) => enterRescue(client, server.id, loginOf(server), c),
    leaveRescue: (server, c) => leaveRescue(client, server.id, c),
    firewall: {
      steps: () => ROLES.map((role) => roleFirewall(env, client, role)),
      ready: () => ROLES.map((role) => ({ step: firewallStepId(role) })),
      removal: (environment, after) => [firewallRemoval(client, environment, after)],
    },
    calls: () => meter.calls,
    close: () => client.close(),
  };

  function loginOf({ id, name }: ProviderServer) {
    const node = nodes.get(id);
    if (node) return node.ssh;
    throw internalError("UNKNOWN_SERVER", { message: `Unable to restart server ${name}: it was not looked up before` });
  }
}
