import { basename } from "node:path";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { type Read, type Ref, type Stage, type Step, step, type Write } from "../../engine/step.ts";
import { PRIVATE_FILE } from "../../environment/folder.ts";

export interface AccessFile {
  id: string;
  stage: Stage;
  path: string;
  needs: readonly Ref<unknown>[];
  /** The reason to rewrite the file, as a text after its name. */
  problem(text: string, c: Read): string | undefined;
  make(c: Write): Promise<string>;
}

interface Judged {
  problem?: string;
}

/** An access file: rewritten when it is missing, belongs to another cluster or expires soon; kept otherwise. */
export function accessFile({ id, stage, path, needs, problem, make }: AccessFile): Step<Judged, string> {
  const file = basename(path);
  return step({
    id,
    stage,
    title: file,
    needs,
    observe: async (c) => {
      const content = c.world.files.read(path);
      if (content === undefined) return { is: "absent" };
      const wrong = problem(Buffer.from(content).toString("utf8"), c);
      return { is: "present", actual: wrong === undefined ? {} : { problem: wrong }, owner: "us" };
    },
    plan: (seen) => {
      if (!("is" in seen) || seen.is !== "present") return [{ id, step: id, verb: "create", subject: file, fields: [] }];
      const wrong = seen.actual.problem;
      if (wrong === undefined) return [];
      return [{ id, step: id, verb: "update", subject: file, fields: [{ path: "state", from: wrong, to: "rewritten" }] }];
    },
    apply: async (_, c) => {
      const text = await make(c);
      await c.mutate({ key: file, what: `write ${file}` }, async () => {
        writeDurably(c.world.files, path, text, PRIVATE_FILE);
        return file;
      });
    },
    output: () => path,
  });
}
