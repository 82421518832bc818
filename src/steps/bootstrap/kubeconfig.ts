import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { known } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import { createKubeconfig, kubeconfigProblem } from "../../talos/access/kubeconfig.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { endpointUrl } from "../../talos/config/cluster-input.ts";
import { accessFile } from "../generate/access-file.ts";
import { readBundle } from "../generate/secrets-bundle.ts";
import { etcd } from "./etcd.ts";

/**
 * The kubeconfig of a control plane, which is valid for the running cluster. When none answers, an old file is still renewed from secrets.yaml, so
 * that the user can investigate.
 */
export function kubeconfigFile(env: Environment, talos: TalosNodes, redactor: Redactor): ReturnType<typeof accessFile> {
  const { cluster, nodes } = env.config;
  const path = paths.kubeconfig(env.folder);
  return accessFile({
    id: "bootstrap/kubeconfig",
    stage: "bootstrap",
    path,
    needs: [environmentId, etcd],
    problem: (text, c) => {
      known(c, environmentId);
      const bundle = readBundle(c.world, env, redactor);
      return kubeconfigProblem(text, bundle, { server: endpointUrl(cluster.endpoint) }, c.world.clock.now());
    },
    make: async (c) => {
      const members = known(c, etcd);
      const from = nodes.find((node) => members.includes(node.name)) ?? nodes[0];
      try {
        return await talos.node(from?.ip ?? "").kubeconfig(c.signal);
      } catch (error) {
        if (!(error instanceof TalosmithError) || !error.transient || !c.world.files.stat(path)) throw error;
        c.say("no control plane answers: creating it from secrets.yaml");
        const bundle = readBundle(c.world, env, redactor);
        return createKubeconfig(c.world, bundle, redactor, { name: cluster.name, server: endpointUrl(cluster.endpoint) });
      }
    },
  });
}
