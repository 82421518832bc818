import { basename } from "node:path";
import { isLater, NotYet, type Read, type Step, step } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import { outputsOf, printOutputs } from "../../environment/outputs.ts";
import { writeDurably } from "../../lib/durable.ts";
import type { Inventory, Platform } from "../../platforms/platform.ts";

interface Written {
  text: string;
  wanted: string;
}

/** outputs.json: the same values as `talosmith outputs`, for whoever reads files. */
export function outputsFile(env: Environment, platform: Platform, found: Inventory): Step<Written, void> {
  const id = "provision/outputs";
  const path = paths.outputs(env.folder);
  const subject = basename(path);
  const machines = env.config.nodes.map((node) => ({ name: node.name, ref: platform.machine(node.name) }));
  const wanted = (c: Read): string => {
    const ids = machines.map(({ name, ref }): [string, number | undefined] => {
      const facts = c.get(ref);
      if (!isLater(facts)) return [name, facts.id];
      // A machine that will only be changed keeps its id.
      const owned = found.owned.find((one) => one.name === name);
      if (!owned) throw new NotYet(facts);
      return [name, owned.id];
    });
    return printOutputs(outputsOf(env, new Map(ids.flatMap(([name, id]) => (id === undefined ? [] : [[name, id]])))));
  };
  return step({
    id,
    stage: "provision",
    title: subject,
    needs: machines.map(({ ref }) => ref),
    observe: async (c) => {
      const content = c.world.files.read(path);
      if (!content) return { is: "absent" };
      return { is: "present", actual: { text: Buffer.from(content).toString("utf8"), wanted: wanted(c) }, owner: "us" };
    },
    plan: (seen) => {
      const isThere = "is" in seen && seen.is === "present";
      if (isThere && seen.actual.text === seen.actual.wanted) return [];
      const exists = isThere || ("later" in seen && found.owned.length > 0);
      return [{ id, step: id, verb: exists ? "update" : "create", subject, fields: [] }];
    },
    apply: async (_, c) => {
      await c.mutate({ key: subject, what: `write ${subject}` }, async () => {
        writeDurably(c.world.files, path, wanted(c), 0o600);
        return subject;
      });
    },
    output: () => undefined,
  });
}
