import type { Write } from "../../engine/step.ts";
import { remoteError } from "../../lib/errors.ts";
import { configDifferences } from "../../talos/config/differences.ts";
import { effectOf, withReachOf } from "../../talos/config/effect.ts";
import { type Restart, restarted } from "./restart.ts";

/** Time enough to knock again, and short enough to sit out. */
const TRY_MS = 60_000;
const ANSWER_MS = 30_000;
const REVERT_MS = 5 * 60_000;

/**
 * Gives a node that runs another config, in the gentlest way that makes it hold: at once where Talos can do so, after a reboot where it
 * cannot. What could cut the node off is tried first: Talos takes it back by itself unless we can still reach the node with it.
 */
export async function applyConfig(restart: Restart, config: string, running: string, c: Write): Promise<void> {
  const { reboot, reach } = effectOf(configDifferences(config, running));
  if (reach.length > 0) {
    const tried = reboot.length > 0 ? withReachOf(running, config) : config;
    await tryOut(restart, tried, reach, c);
    await apply(restart, tried, "no-reboot", c);
  }
  if (reboot.length > 0) await restarted(restart, c, () => apply(restart, config, "staged", c));
  else if (reach.length === 0) await apply(restart, config, "no-reboot", c);
}

async function apply({ node, talos }: Restart, config: string, mode: "no-reboot" | "staged", c: Write): Promise<void> {
  c.say(mode === "staged" ? "storing the new config" : "applying the new config");
  await c.mutate({ key: `node ${node.name}`, what: `apply the config of ${node.name}` }, async () => {
    const { warnings } = await talos.node(node.ip).apply(config, mode, c.signal);
    return { warnings: [...warnings] };
  });
}

async function tryOut({ node, talos }: Restart, config: string, fields: readonly string[], c: Write): Promise<void> {
  const { name, ip } = node;
  c.say("trying the new network");
  await c.mutate({ key: `node ${name}`, what: `try the config of ${name}` }, async () => {
    const { warnings } = await talos.node(ip).apply(config, "try", c.signal, { tryFor: TRY_MS });
    return { warnings: [...warnings] };
  });
  const answers = (timeoutMs: number, what: string) =>
    c.until({ name: `${name} ${what}`, timeoutMs, poll: ({ signal }) => talos.knock(ip, signal) });
  try {
    await answers(ANSWER_MS, "answers with the new network");
  } catch (cause) {
    c.signal.throwIfAborted();
    c.say("it cannot be reached: waiting until Talos takes the new network back");
    await answers(REVERT_MS, "is back with the old network");
    throw remoteError("CUT_OFF", {
      message: `With its new config ${name} cannot be reached from here; Talos has taken it back, and nothing is changed`,
      detail: fields.join("\n"),
      hint: "correct these fields: is this computer inside firewall.admin, are address, gateway and card right?",
      cause,
    });
  }
}
