import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { refuseOtherName } from "../environment/place.ts";
import { type KubernetesClient, openKubernetes } from "../kubernetes/client/kubernetes-client.ts";
import { definitionOf } from "../platforms/all.ts";
import type { Platform } from "../platforms/platform.ts";
import { readBundle, readEnvironmentId } from "../steps/generate/secrets-bundle.ts";
import { kubernetesAccess } from "../talos/access/kubernetes-access.ts";
import { talosNodes } from "../talos/api/client.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { nodeWorld } from "./reach.ts";

/** Everything a command can reach: the infrastructure, its nodes, and the cluster on them. */
export interface Access {
  platform: Platform;
  /** Opens the infrastructure for the environment with other releases in its config. */
  platformFor(env: Environment): Promise<Platform>;
  talos: TalosNodes;
  kubernetes: KubernetesClient;
  /** The world in which the nodes' addresses can be dialled. */
  near: World;
  /** How many calls it took so far. */
  calls(): number;
  close(): void;
}

/** Opens the clients of an environment. Nothing is dialled before the first call. */
export async function openAccess(session: Session & { redactor: Redactor }, env: Environment): Promise<Access> {
  const { world, redactor } = session;
  refuseOtherName(world, env, () => readEnvironmentId(world, env, redactor));
  const near = nodeWorld(world, env.config);
  const secrets = () => readBundle(world, env, redactor);
  const talos = talosNodes(near.world, secrets);
  const platform = await definitionOf(env.config).open(world, env, talos);
  const platforms = [platform];
  const controlPlanes = env.config.nodes.filter((node) => node.role === "controlplane");
  const kubernetes = openKubernetes(near.world, async () => {
    const { key, ...access } = await kubernetesAccess(world, secrets(), redactor);
    // Each control plane by its own address: while etcd is down no node has the virtual IP.
    return { ...access, key: key.reveal(), servers: controlPlanes.map((node) => `https://${node.ip}:6443`) };
  });
  return {
    platform,
    platformFor: async (other) => {
      const opened = await definitionOf(other.config).open(world, other, talos);
      platforms.push(opened);
      return opened;
    },
    talos,
    kubernetes,
    near: near.world,
    calls: () => [...platforms, talos, kubernetes].reduce((sum, one) => sum + one.calls(), 0),
    close: () => {
      for (const one of [kubernetes, talos, ...platforms, near]) one.close();
    },
  };
}
