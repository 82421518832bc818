import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { Site } from "../site.ts";
import { fail, ok } from "./finding.ts";
import { members, nodesByHost } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

/** Checks that no machine has more processors than its host: Proxmox creates such a VM, but does not start it ("MAX 2 vcpus allowed per VM on this node"). */
export function hostsHaveProcessors(site: Site, found: Inventory): Check {
  return check({
    id: "preflight/processors",
    stage: "preflight",
    title: "processors of the hosts",
    needs: [{ step: PREFLIGHT }],
    run: async (c) => {
      const cpus = new Map((await members(site, c)).map((host) => [host.name, host.cpus]));
      const placed = [...nodesByHost(site, found)].flatMap(([host, nodes]) => nodes.map((node) => ({ host, node })));
      const findings = placed.flatMap(({ host, node }) => {
        const most = cpus.get(host);
        const wanted = node.cores * node.sockets;
        if (most === undefined || wanted <= most) return [];
        return [
          fail(
            "TOO_MANY_CORES",
            `${node.name} has ${wanted} cores in the config, but its host ${host} has ${most}: Proxmox would not start it`,
            `give ${node.name} at most ${most} cores (cores: times sockets:), or place it on a larger host (host:)`,
            site.env.where(["nodes", node.name, "cores"]) ?? site.env.where(["nodes", node.name]),
          ),
        ];
      });
      return findings.length > 0 ? findings : [ok("PROCESSORS", "no machine has more cores than its host")];
    },
  });
}
