import type { Check, Finding } from "../../engine/step.ts";
import { judged } from "../../talos/health/asked.ts";
import type { Cluster } from "./cluster.ts";
import { verifyCheck } from "./verify-check.ts";

/** Talos' check 4, and more: every node answers with our certificate and runs the Talos of the config. */
export function talosVersions(cluster: Cluster): Check {
  const wanted = cluster.env.config.cluster.talos;
  return verifyCheck(cluster, {
    id: "talos",
    title: `Talos ${wanted} on ${cluster.env.config.nodes.length} nodes`,
    until: "every node runs the Talos of the config",
    look: async (see) =>
      judged(await see.versions(), ({ version }, { name }): Finding[] => {
        if (version === wanted) return [{ level: "ok", code: "TALOS_VERSION", message: `${name}: Talos ${version}` }];
        return [
          {
            level: "warn",
            code: "TALOS_VERSION",
            message: `${name}: Talos is ${version}, config says ${wanted}; kept (another version is an upgrade)`,
            hint: `set cluster.talos: ${version}, or upgrade the node: talosctl upgrade`,
          },
        ];
      }),
  });
}
