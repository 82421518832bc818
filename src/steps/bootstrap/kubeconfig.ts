import { known } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import type { Redactor } from "../../lib/secret.ts";
import { kubeconfigProblem } from "../../talos/access/kubeconfig.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { endpointUrl } from "../../talos/config/cluster-input.ts";
import { accessFile } from "../generate/access-file.ts";
import { readBundle } from "../generate/secrets-bundle.ts";
import { etcd } from "./etcd.ts";

/** kubeconfig, asked from a control plane: what it gives out is good for the cluster that really runs. */
export function kubeconfigFile(env: Environment, talos: TalosNodes, redactor: Redactor): ReturnType<typeof accessFile> {
  const { cluster, nodes } = env.config;
  return accessFile({
    id: "bootstrap/kubeconfig",
    stage: "bootstrap",
    path: paths.kubeconfig(env.folder),
    needs: [environmentId, etcd],
    problem: (text, c) => {
      known(c, environmentId);
      const bundle = readBundle(c.world, env, redactor);
      return kubeconfigProblem(text, bundle, { server: endpointUrl(cluster.endpoint) }, c.world.clock.now());
    },
    make: async (c) => {
      const members = known(c, etcd);
      const from = nodes.find((node) => members.includes(node.name)) ?? nodes[0];
      return talos.node(from?.ip ?? "").kubeconfig(c.signal);
    },
  });
}
