import { type Check, check } from "../../../engine/step.ts";
import type { Site } from "../site.ts";
import { fail, ok } from "./finding.ts";
import { hostsNamed, members } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

/** Are the hosts that the config names there, and switched on? */
export function hostsAreThere(site: Site): Check {
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
        if (!host) return fail("NO_HOST", `there is no Proxmox host ${name}`, `proxmox.hosts: use ${names}`);
        if (host.online) return ok("HOST", `${name} is online`);
        return fail("HOST_OFFLINE", `the Proxmox host ${name} is offline`, `start ${name}, or take it out of proxmox.hosts`);
      });
    },
  });
}
