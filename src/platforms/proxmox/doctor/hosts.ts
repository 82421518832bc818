import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { Site } from "../site.ts";
import { fail, ok, warn } from "./finding.ts";
import { hostsNamed, members } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

/**
 * Checks that the hosts of the config exist and are online. One that is offline only prevents the creation of machines on it; the steps of its
 * existing machines leave them unchanged.
 */
export function hostsAreThere(site: Site, found: Inventory): Check {
  return check({
    id: "preflight/hosts",
    stage: "preflight",
    title: "Proxmox hosts",
    needs: [{ step: PREFLIGHT }],
    run: async (c) => {
      const there = await members(site, c);
      const names = there.map(({ name }) => name).join(", ");
      return hostsNamed(site).map((name) => {
        const host = there.find((one) => one.name === name);
        if (!host)
          return fail(
            "NO_HOST",
            `there is no Proxmox host ${name}`,
            `proxmox.hosts: use ${names}`,
            site.env.where(["proxmox", "hosts"]),
          );
        if (host.online) return ok("HOST", `${name} is online`);
        const homes = site.places.homes();
        const toBeMade = site.env.config.nodes.filter((node) => homes.get(node.name) === name && !found.there.has(node.name));
        const hint = `start ${name}, or remove it from proxmox.hosts`;
        if (toBeMade.length === 0) return warn("HOST_OFFLINE", `the Proxmox host ${name} is offline`, hint);
        const machines = toBeMade.map((node) => node.name).join(", ");
        return fail("HOST_OFFLINE", `the Proxmox host ${name} is offline, and ${machines} would be made on it`, hint);
      });
    },
  });
}
