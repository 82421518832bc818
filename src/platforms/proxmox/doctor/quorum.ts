import { type Check, check } from "../../../engine/step.ts";
import type { Site } from "../site.ts";
import { fail, ok, warn } from "./finding.ts";
import { writes } from "./kinds.ts";
import { clusterOf } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

/** Without a majority of its hosts a Proxmox cluster changes nothing. */
export function hostsHaveQuorum(site: Site): Check {
  return check({
    id: "preflight/quorum",
    stage: "preflight",
    title: "quorum of the hosts",
    needs: [{ step: PREFLIGHT }],
    before: writes,
    run: async (c) => {
      const { name, quorate, offline } = await clusterOf(site, c);
      if (name === undefined) return [ok("STANDALONE", "a single host, not in a cluster")];
      if (!quorate)
        return [
          fail(
            "NO_QUORUM",
            `the Proxmox cluster ${name} has no quorum: ${offline.join(", ") || "some hosts"} unreachable`,
            "bring the hosts back; `pvecm status` on one of them lists which are missing",
          ),
        ];
      if (offline.length > 0)
        return [
          warn(
            "HOSTS_OFFLINE",
            `the Proxmox cluster ${name} has quorum without ${offline.join(", ")}`,
            "start them: if more hosts fail, the cluster loses quorum and nothing can be changed",
          ),
        ];
      return [ok("QUORUM", `the Proxmox cluster ${name} has quorum`)];
    },
  });
}
