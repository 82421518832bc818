import { hasCode, isTransient, remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import type { Read, Write } from "../../engine/step.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import { configDifferences } from "../../talos/config/differences.ts";
import type { MachineConfig } from "../../talos/config/machine-config.ts";
import type { Target } from "./apply-config.ts";
import { networkState, networkTakesEffect } from "./network-state.ts";

/** Long enough for a switch to detect a new bond, and short enough to wait for. */
const TRY_MS = 3 * 60_000;
const ANSWER_MS = 90_000;
const REVERT_MS = 10 * 60_000;

/** Tries a config whose network differs, and has `keep` apply it for good over a connection that was made under the new rules. */
export async function tryOut(
  { node, talos, trial }: Target,
  config: MachineConfig,
  fields: readonly string[],
  c: Write,
  keep: (api: TalosNode) => Promise<void>,
): Promise<void> {
  const { name, ip } = node;
  if (trial.cutOff !== undefined) throw notTried(name, trial.cutOff, fields);
  const before = await networkState(talos.node(ip), c.signal);
  c.say("trying the new network");
  await c.mutate({ key: `node ${name}`, what: `try the config of ${name}` }, async () => {
    const { warnings } = await talos.node(ip).apply(config, "try", c.signal, { tryFor: TRY_MS });
    return { warnings: [...warnings] };
  });
  await networkTakesEffect(talos.node(ip), name, before, c);
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
        if (!isTransient(error)) throw error;
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
    if (await runsIt(ANSWER_MS, "answers with the new network", keep)) return;
  } catch (error) {
    c.signal.throwIfAborted();
    if (!hasCode(error, "TIMEOUT")) throw error;
    cause = error;
    trial.cutOff = name;
    c.say("it cannot be reached: waiting until Talos reverts the new network");
    await runsIt(REVERT_MS, "is back with the old network", async () => {});
  }
  trial.cutOff = name;
  throw remoteError("CUT_OFF", {
    message: `${name} cannot be reached from here with its new config; Talos has reverted it, and nothing is changed`,
    detail: fields.join("\n"),
    hint: "correct these fields: check that firewall.admin includes this computer, and check address, gateway and network card",
    ...(cause !== undefined && { cause }),
  });
}

function notTried(name: string, cutOff: string, fields: readonly string[]): TalosmithError {
  return remoteError("NOT_TRIED", {
    message: `${name} keeps its config: ${cutOff} could not be reached with the new network, so it is not tried on another node`,
    detail: fields.join("\n"),
    hint: `correct the config for ${cutOff}, then run the same command again`,
  });
}
