import { type Step, step } from "../../../engine/step.ts";
import type { Owned } from "../../platform.ts";
import type { Site } from "../site.ts";

const WIPE_LIMIT_MS = 10 * 60_000;

/** The whole system disk: a config volume on it, if there is one, would make the server a node again. */
const ALL = { graceful: false, reboot: true, whole: true } as const;

/** Takes Talos and everything of ours from a server, which stays its owner's and starts nothing any more. */
export function machineWipe({ talos, records }: Site, owned: Owned): Step<Owned, void> {
  const { name, address, subject } = owned;
  const id = `wipe/${name}`;
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
        ? [
            {
              id,
              step: id,
              verb: "delete",
              subject,
              fields: [{ path: "disk", from: "system disk wiped, server kept", to: null }],
            },
          ]
        : [],
    apply: async (_, c) => {
      // From here on the record says nothing any more about what is there.
      records.end(c.world, name);
      c.say("wiping its system disk");
      await c.mutate({ key: `node ${name}`, what: `wipe ${name}` }, async () => {
        await talos.node(address).reset(ALL, c.signal);
        return name;
      });
    },
    settle: [
      {
        name: `Talos is gone from ${name}`,
        timeoutMs: WIPE_LIMIT_MS,
        poll: async ({ signal }) =>
          (await talos.probe(address, signal)).is === "ours" ? { reason: "it has not finished yet" } : true,
      },
    ],
    output: () => undefined,
  });
}
