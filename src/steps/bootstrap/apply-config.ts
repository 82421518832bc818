import type { Read, Write } from "../../engine/step.ts";
import { remoteError, TalosmithError } from "../../lib/errors.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import { configDifferences } from "../../talos/config/differences.ts";
import { effectOf, withReachOf } from "../../talos/config/effect.ts";
import { type Restart, restarted } from "./restart.ts";

/** Time enough for a switch to learn a new bond, and short enough to sit out. */
const TRY_MS = 3 * 60_000;
const ANSWER_MS = 90_000;
const REVERT_MS = 10 * 60_000;

/**
 * Gives a node that runs another config, in the gentlest way that makes it hold: at once where Talos can do so, after a reboot where it
 * cannot. What could cut the node off is tried first: Talos takes it back by itself unless we can still reach the node with it.
 */
export async function applyConfig(restart: Restart, config: string, running: string, c: Write): Promise<void> {
  const { reboot, reach } = effectOf(configDifferences(config, running));
  if (reach.length > 0) {
    const tried = reboot.length > 0 ? withReachOf(running, config) : config;
    await tryOut(restart, tried, reach, c);
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

/** Applied for good only over a connection that was made under the new rules. */
async function tryOut({ node, talos }: Restart, config: string, fields: readonly string[], c: Write): Promise<void> {
  const { name, ip } = node;
  c.say("trying the new network");
  await c.mutate({ key: `node ${name}`, what: `try the config of ${name}` }, async () => {
    const { warnings } = await talos.node(ip).apply(config, "try", c.signal, { tryFor: TRY_MS });
    return { warnings: [...warnings] };
  });
  /** Whether the node, dialled anew, still has the new config. */
  const runsIt = async (timeoutMs: number, what: string, use: (api: TalosNode) => Promise<void>): Promise<boolean> => {
    let runs = false;
    const poll = async ({ signal }: Read) => {
      const { node: api, close } = talos.afresh(ip);
      try {
        const { running } = await api.machineConfigs(signal);
        runs = configDifferences(config, running).length === 0;
        if (runs) await use(api);
        return true;
      } catch (error) {
        if (!(error instanceof TalosmithError && error.transient)) throw error;
        return { reason: error.detail ?? error.message };
      } finally {
        close();
      }
    };
    await c.until({ name: `${name} ${what}`, timeoutMs, poll });
    return runs;
  };
  let cause: unknown;
  try {
    if (await runsIt(ANSWER_MS, "answers with the new network", (api) => applyTo(api, name, config, "no-reboot", c))) return;
  } catch (error) {
    c.signal.throwIfAborted();
    if (!(error instanceof TalosmithError && error.code === "TIMEOUT")) throw error;
    cause = error;
    c.say("it cannot be reached: waiting until Talos takes the new network back");
    await runsIt(REVERT_MS, "is back with the old network", async () => {});
  }
  throw remoteError("CUT_OFF", {
    message: `With its new config ${name} cannot be reached from here; Talos has taken it back, and nothing is changed`,
    detail: fields.join("\n"),
    hint: "correct these fields: is this computer inside firewall.admin, are address, gateway and card right?",
    ...(cause !== undefined && { cause }),
  });
}
