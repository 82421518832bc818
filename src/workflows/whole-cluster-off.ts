import type { Environment } from "../environment/environment.ts";
import type { Inventory } from "../platforms/platform.ts";

/** Says that all machines of a cluster are off, when that is so: then no check of what runs on them finds anything out. */
export function wholeClusterOff({ config }: Pick<Environment, "config">, found: Inventory): string | undefined {
  const { owned, unseen = [], silent = [] } = found;
  const count = owned.length + unseen.length + silent.length;
  if (count === 0 || owned.some(({ state }) => state !== "stopped")) return undefined;
  const machines = count === 1 ? "its machine" : `all ${count} machines`;
  if (owned.length > 0) return `${config.cluster.name} is off: ${machines} ${count === 1 ? "is" : "are"} stopped`;
  const isWhole = config.nodes.every(({ name }) => silent.includes(name) || unseen.some((one) => one.name === name));
  return isWhole ? `${config.cluster.name} seems to be off: none of its machines answers` : undefined;
}
