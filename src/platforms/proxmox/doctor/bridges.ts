import { type Check, check, type Finding } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { Bridge } from "../client/nodes.ts";
import { bridgePath } from "../rights/needed.ts";
import type { Site } from "../site.ts";
import { about, fail, ok, warn } from "./finding.ts";
import { hostsOf, setsNetwork } from "./kinds.ts";
import { bridgesOf } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

interface Wish {
  bridge: string;
  vlan?: number | undefined;
  node: string;
}

/** Checks that every host has the bridges of its machines, and that they forward tagged packets where VLANs are used. */
export function bridgesAreThere(site: Site, found: Inventory): Check {
  return check({
    id: "preflight/bridges",
    stage: "preflight",
    title: "bridges",
    needs: [{ step: PREFLIGHT }],
    before: setsNetwork,
    run: async (c, changes) => {
      const findings: Finding[] = [];
      const fine = new Set<string>();
      for (const [host, nodes] of await hostsOf(site, found, c, changes)) {
        const nets = await bridgesOf(site, c, host);
        const cards: Wish[] = nodes.flatMap(({ name, bridge, vlan, nics }) =>
          [{ bridge, vlan }, ...nics].map((card) => ({ bridge: card.bridge, vlan: card.vlan, node: name })),
        );
        for (const wish of new Map(cards.map((card) => [bridgePath(card), card])).values()) {
          const where = site.env.where(["nodes", wish.node, "bridge"]);
          const wrong = about(where, findingFor(host, nets, wish));
          findings.push(...wrong);
          if (wrong.length === 0) fine.add(wish.vlan === undefined ? wish.bridge : `${wish.bridge} with VLAN ${wish.vlan}`);
        }
      }
      return [...findings, ...(fine.size > 0 ? [ok("BRIDGES", `bridge ${[...fine].join(", ")}`)] : [])];
    },
  });
}

function findingFor(host: string, nets: readonly Bridge[], { bridge, vlan }: Wish): Finding[] {
  const net = nets.find((one) => one.name === bridge);
  if (!net)
    return [
      fail(
        "NO_BRIDGE",
        `${host} has no bridge ${bridge}, or this login may not use it`,
        `bridges on ${host}: ${nets.map(({ name }) => name).join(", ") || "none"}; check proxmox.bridge, and SDN.Use on ${bridgePath({ bridge, vlan })}`,
      ),
    ];
  if (vlan === undefined || net.vlanAware || net.virtual) return [];
  const hint = `in the Proxmox UI: ${host}, System, Network, ${bridge}, tick "VLAN aware", then Apply Configuration`;
  const message = `the bridge ${bridge} on ${host} is not VLAN-aware, but machines use its VLAN ${vlan}`;
  // Proxmox then creates a bridge for the VLAN on the physical card, and refuses to start a machine when the bridge has no card.
  if (net.ports.length === 0) return [fail("BRIDGE_VLAN", `${message}, and it has no physical card`, hint)];
  return [warn("BRIDGE_VLAN", `${message}: that works only through its card ${net.ports.join(", ")}`, hint)];
}
