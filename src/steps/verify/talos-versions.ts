import type { Check, Finding } from "../../engine/step.ts";
import { judged } from "../../talos/health/asked.ts";
import type { Cluster } from "./cluster.ts";
import { verifyCheck } from "./verify-check.ts";

/** Talos' check 4, and more: every node accepts the cluster's client certificate and runs the Talos of the config. */
export function talosVersions(cluster: Cluster): Check {
  const { config, upgrade } = cluster.env;
  const wanted = config.cluster.talos;
  // Reported before, in one line for all of them.
  const known = new Set([wanted, upgrade?.talos?.config, ...(upgrade?.talos?.runs.map(({ version }) => version) ?? [])]);
  return verifyCheck(cluster, {
    id: "talos",
    title: `Talos ${wanted} on ${config.nodes.length} nodes`,
    until: "every node runs the Talos of the config",
    look: async (see) =>
      judged(await see.versions(), ({ version }, { name }): Finding[] => {
        if (known.has(version)) return [{ level: "ok", code: "TALOS_VERSION", message: `${name}: Talos ${version}` }];
        return [
          {
            level: "warn",
            code: "TALOS_VERSION",
            message: `${name}: Talos is ${version}, config says ${wanted} (another version is an upgrade, which up does not do)`,
            hint: `set cluster.talos: ${version}, or upgrade the node: talosctl upgrade`,
          },
        ];
      }),
  });
}
