import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Write } from "../../engine/step.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import { configDifferences } from "../../talos/config/differences.ts";
import { effectOf, withReachOf } from "../../talos/config/effect.ts";
import { type Restart, restarted } from "./restart.ts";
import { tryOut } from "./trial.ts";

/**
 * Gives a node that runs another config, in the gentlest way that makes it hold: at once where Talos can do so, after a reboot where it
 * cannot. What could cut the node off is tried first: Talos takes it back by itself unless we can still reach the node with it.
 */
export async function applyConfig(restart: Restart, config: string, running: string, c: Write): Promise<void> {
  const { reboot, reach } = effectOf(configDifferences(config, running));
  if (reach.length > 0) {
    const tried = reboot.length > 0 ? withReachOf(running, config) : config;
    await tryOut(restart, tried, reach, c, (api) => applyTo(api, restart.node.name, tried, "no-reboot", c));
  }
  const isApplied = reboot.length > 0 ? false : reach.length > 0 || (await appliedAtOnce(restart, config, c));
  if (!isApplied) await restarted(restart, c, () => apply(restart, config, "staged", c));
}

/** The node has the last word on what needs a reboot: a release may know more than we do. */
async function appliedAtOnce(restart: Restart, config: string, c: Write): Promise<boolean> {
  try {
    await apply(restart, config, "no-reboot", c);
    return true;
  } catch (error) {
    if (error instanceof TalosmithError && error.code === "TALOS_NEEDS_REBOOT") return false;
    throw error;
  }
}

function apply({ node, talos }: Restart, config: string, mode: "no-reboot" | "staged", c: Write): Promise<void> {
  return applyTo(talos.node(node.ip), node.name, config, mode, c);
}

async function applyTo(api: TalosNode, name: string, config: string, mode: "no-reboot" | "staged", c: Write): Promise<void> {
  c.say(mode === "staged" ? "storing the new config" : "applying the new config");
  await c.mutate({ key: `node ${name}`, what: `apply the config of ${name}` }, async () => {
    const { warnings } = await api.apply(config, mode, c.signal);
    return { warnings: [...warnings] };
  });
}
