import { Gate } from "@talosmith/lib/gate.ts";
import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { Site } from "../site.ts";
import { reached } from "./addresses.ts";
import { ok, warn } from "./finding.ts";
import { createsMachine } from "./kinds.ts";

/** Ports that routers often listen on; a refusal counts as an answer too. */
const PORTS = [443, 80, 22, 53];

/** Checks that this computer reaches the nodes' network. Only a running node proves it; a silent router proves nothing. */
export function nodeNetworkAnswers({ env, talos }: Site, found: Inventory): Check {
  const { network, nodes } = env.config;
  return check({
    id: "preflight/node-network",
    stage: "preflight",
    title: `node network ${network.cidr}`,
    before: createsMachine,
    run: async (c) => {
      const living = nodes.filter(({ name }) => found.there.has(name));
      const answers = await Promise.all(living.slice(0, 4).map(({ ip }) => talos.probe(ip, c.signal)));
      if (answers.some(({ is }) => is !== "silent")) return [ok("NODE_NETWORK", `nodes in ${network.cidr} answer`)];
      if (network.via === "ssh")
        return [
          ok("NODE_NETWORK", `reached through ${network.ssh?.user}@${network.ssh?.host}; not tested, because no node exists yet`),
        ];
      const gate = new Gate(PORTS.length);
      const tries = await Promise.all(PORTS.map((port) => reached(c, gate, network.gateway, port)));
      if (tries.some((one) => one !== "silent")) return [ok("NODE_NETWORK", `the gateway ${network.gateway} answers from here`)];
      return [
        warn(
          "NODE_NETWORK",
          `nothing in ${network.cidr} answers this computer: no node exists yet, and the gateway ${network.gateway} does not answer`,
          "the gateway's firewall may be the reason. If only the Proxmox host has a route there, set network.via: ssh",
        ),
      ];
    },
  });
}
