import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { Site } from "../site.ts";
import { at, fail, ok } from "./finding.ts";
import { members } from "./look.ts";
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
      const findings = site.env.config.nodes.flatMap((node) => {
        const host = hostOf(site, found, node);
        const most = cpus.get(host);
        const wanted = node.cores * node.sockets;
        if (most === undefined || wanted <= most) return [];
        const place = at(site.env.where(["nodes", node.name, "cores"]) ?? site.env.where(["nodes", node.name]));
        return [
          fail(
            "TOO_MANY_CORES",
            `${place}${node.name} has ${wanted} cores in the config, but its host ${host} has ${most}: Proxmox would not start it`,
            `give ${node.name} at most ${most} cores (cores: times sockets:), or place it on a larger host (host:)`,
          ),
        ];
      });
      return findings.length > 0 ? findings : [ok("PROCESSORS", "no machine has more cores than its host")];
    },
  });
}

/** The host where the node's machine is, or will be created. */
function hostOf({ places }: Site, { owned }: Inventory, { name }: ProxmoxNodeConfig): string {
  const there = owned.find((one) => one.name === name && !one.remade);
  return (there?.detail as { host?: string } | undefined)?.host ?? (places.homes().get(name) as string);
}
