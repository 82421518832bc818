import type { World } from "@talosmith/lib/world/world.ts";
import type { Environment } from "../environment/environment.ts";
import { remainsOf } from "../environment/folder.ts";
import { waysOut } from "../talos/secrets/ways-out.ts";
import type { Namesake } from "./platform.ts";

/** Says that secrets.yaml is missing although the cluster's machines exist, and how to restore it. */
export function lostSecrets(world: World, env: Environment, machines: readonly Namesake[]): { message: string; hint: string } {
  const { name } = env.config.cluster;
  const all = machines.map((one) => `${one.name} (${one.where}, ${one.state})`).join(", ");
  return {
    message: `there is no secrets.yaml in ${env.shown}, but machines of a cluster called ${name} exist: ${all}`,
    hint: waysOut(world, remainsOf(env)),
  };
}
