import type { Redactor } from "@talosmith/lib/secret.ts";
import { known } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import { createTalosconfig, talosconfigProblem } from "../../talos/access/talosconfig.ts";
import { accessFile } from "./access-file.ts";
import { readBundle } from "./secrets-bundle.ts";

/** talosconfig for talosctl, with the control planes as endpoints. Renewed before it expires. */
export function talosconfigFile(env: Environment, redactor: Redactor): ReturnType<typeof accessFile> {
  const { cluster, nodes } = env.config;
  // Never the VIP: it does not work while etcd is down, when the Talos API is needed most.
  const endpoints = nodes.filter((node) => node.role === "controlplane").map((node) => node.ip);
  return accessFile({
    id: "generate/talosconfig",
    stage: "generate",
    path: paths.talosconfig(env.folder),
    needs: [environmentId],
    problem: (text, c) => {
      known(c, environmentId);
      return talosconfigProblem(text, readBundle(c.world, env, redactor), { endpoints }, c.world.clock.now());
    },
    make: (c) => createTalosconfig(c.world, readBundle(c.world, env, redactor), redactor, { name: cluster.name, endpoints }),
  });
}
