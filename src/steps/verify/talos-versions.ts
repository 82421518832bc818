import { type Check, check, type Finding } from "../../engine/step.ts";
import type { Cluster } from "./checks.ts";
import { eventually } from "./eventually.ts";

/** Every node answers with our certificate and runs the Talos of the config. */
export function talosVersions({ env, talos, after }: Cluster): Check {
  const { cluster, nodes } = env.config;
  return check({
    id: "verify/talos",
    stage: "verify",
    title: `Talos ${cluster.talos} on ${nodes.length} nodes`,
    needs: after,
    run: (c) =>
      eventually("every node runs the Talos of the config", c, () =>
        Promise.all(
          nodes.map(async (node): Promise<Finding> => {
            const { version } = await talos.node(node.ip).version(c.signal);
            if (version === cluster.talos)
              return { level: "ok", code: "TALOS_VERSION", message: `${node.name}: Talos ${version}` };
            return {
              level: "warn",
              code: "TALOS_VERSION",
              message: `${node.name}: Talos is ${version}, config says ${cluster.talos}; kept (another version is an upgrade)`,
              hint: `set cluster.talos: ${version}, or upgrade the node: talosctl upgrade`,
            };
          }),
        ),
      ),
  });
}
