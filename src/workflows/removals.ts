import type { AnyStep } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { Inventory, Platform } from "../platforms/platform.ts";

/** What exists and is ours, but is no longer in the config. It goes only when the person names it. */
export function removals(env: Environment, platform: Platform, found: Inventory): AnyStep[] {
  const wanted = new Set(env.config.nodes.map((node) => node.name));
  return found.owned.filter((owned) => !wanted.has(owned.name)).flatMap((owned) => platform.removal(owned, owned.name));
}
