import { type Step, step } from "../../../engine/step.ts";
import { list } from "../client/loose.ts";
import { command } from "./quote.ts";
import type { Root } from "./root.ts";
import { pvesh } from "./survey.ts";

/** A pool for nodes. */
export function pool(root: Root, name: string): Step<true, void> {
  const subject = `pool ${name}`;
  const id = `host/pool/${name}`;
  const line = command("pvesh", "create", "/pools", "--poolid", name);
  return step<true, void>({
    id,
    stage: "preflight",
    title: subject,
    observe: async (c) => {
      const pools = await c.shared("host pools", async () =>
        list(await root.entry.json("list the pools", pvesh("/pools")), "the pools"),
      );
      return pools.some((one) => one.poolid === name) ? { is: "present", actual: true, owner: "shared" } : { is: "absent" };
    },
    plan: (seen) =>
      !("later" in seen) && seen.is === "present"
        ? []
        : [{ id, step: id, verb: "create", subject, fields: [{ path: "runs", from: null, to: line }] }],
    apply: async (_, c) => {
      await c.mutate({ key: subject, what: line }, async () => {
        await root.entry.run(`make the ${subject}`, line);
        return undefined;
      });
    },
    output: () => {},
  });
}
