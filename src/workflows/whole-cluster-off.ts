import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Environment } from "../environment/environment.ts";
import type { Inventory } from "../platforms/platform.ts";

/** Returns a message if all machines of a cluster are off: then checks of the cluster cannot find anything. */
export function wholeClusterOff({ config }: Pick<Environment, "config">, found: Inventory): string | undefined {
  const { owned, unseen = [], silent = [] } = found;
  const count = owned.length + unseen.length + silent.length;
  if (count === 0 || owned.some(({ state }) => state !== "stopped")) return undefined;
  const machines = count === 1 ? "its machine" : `all ${count} machines`;
  if (owned.length > 0) return `${config.cluster.name} is off: ${machines} ${count === 1 ? "is" : "are"} stopped`;
  const isWhole = config.nodes.every(({ name }) => silent.includes(name) || unseen.some((one) => one.name === name));
  return isWhole ? `${config.cluster.name} seems to be off: none of its machines answers` : undefined;
}

/** Returns the notice of a plan: `up` would switch the machines on as well, but `start` does it in order. Undefined if no mark records a bootstrap: that needs `up`. */
export function stoppedNotice(env: Pick<Environment, "config" | "shown">, found: Inventory): Stopped | undefined {
  const off = found.owned.some(({ bootstrapped }) => bootstrapped) ? wholeClusterOff(env, found) : undefined;
  if (off === undefined) return undefined;
  const start = ownCommand("start", env.shown);
  const message = `${off}. Nodes that are off cannot be asked for their config, so the plan shows it as new`;
  return { message, hint: `start it:  ${start}`, start };
}

interface Stopped {
  message: string;
  hint: string;
  /** The command to type next. */
  start: string;
}
