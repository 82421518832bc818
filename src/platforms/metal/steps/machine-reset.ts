import { type Step, step } from "../../../engine/step.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import type { Owned } from "../../platform.ts";

const RESET_LIMIT_MS = 10 * 60_000;

/** Takes a machine's config and data from it; the machine itself stays its owner's. */
export function machineReset(owned: Owned, talos: TalosNodes): Step<Owned, void> {
  const { name, address, subject } = owned;
  const id = `reset/${name}`;
  return step({
    id,
    stage: "provision",
    title: subject,
    observe: async (c) => {
      const answering = await talos.probe(address, c.signal);
      return answering.is === "ours" ? { is: "present", actual: owned, owner: "us" } : { is: "absent" };
    },
    plan: (seen) =>
      "is" in seen && seen.is === "present"
        ? [{ id, step: id, verb: "delete", subject, fields: [{ path: "disk", from: "config and data", to: "wiped" }] }]
        : [],
    apply: async (_, c) => {
      c.say("wiping its config and data");
      await c.mutate({ key: `node ${name}`, what: `reset ${name}` }, async () => {
        await talos.node(address).reset({ graceful: false, reboot: true }, c.signal);
        return name;
      });
    },
    settle: [
      {
        name: `${name} is back in maintenance mode`,
        timeoutMs: RESET_LIMIT_MS,
        poll: async ({ signal }) => {
          const answering = await talos.probe(address, signal);
          if (answering.is === "waiting") return true;
          return { reason: answering.is === "ours" ? "it has not begun yet" : answering.why };
        },
      },
    ],
    output: () => undefined,
  });
}
