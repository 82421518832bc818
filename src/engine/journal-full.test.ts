import { expect, test } from "vitest";
import { failingFiles } from "../../test/support/failing-files.ts";
import { Shelf, testSession } from "../../test/support/toy.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { openJournal, readJournal } from "./journal.ts";
import { makePlan } from "./plan.ts";
import { runPlan } from "./run.ts";

const PATH = "/run/events.jsonl";
const NAMES = ["one", "two", "three"];

/** Three things to do, and a journal that cannot be written from some operation on. */
async function runWith(failure: { at: number; code: string; lasting: boolean }) {
  const files = new VolatileFiles();
  files.makeFolder("/run", 0o700);
  files.syncFolder("/");
  const failing = failingFiles(files, failure);
  const session = testSession({ files });
  const shelf = new Shelf();
  const losses: unknown[] = [];
  const lost = (error: unknown) => void losses.push(error);
  const plan = await makePlan(
    NAMES.map((name, want) => shelf.step(name, want)),
    session,
    new Map(),
  );
  try {
    session.bus.keep(openJournal(failing, PATH, lost));
  } catch {
    return { opened: false as const, failing, shelf };
  }
  return { opened: true as const, results: await runPlan(plan, session), files, failing, shelf, losses };
}

test("wherever the disk fills up, no mutation happens without a durable intent, and the run ends by itself", async () => {
  const all = (await runWith({ at: 0, code: "ENOSPC", lasting: false })).failing.operations.length;
  expect(all).toBeGreaterThan(15);
  for (let at = 1; at <= all; at++)
    for (const lasting of [true, false]) {
      const run = await runWith({ at, code: "ENOSPC", lasting });
      if (!run.opened) {
        expect(run.shelf.values.size).toBe(0);
        continue;
      }
      const kept = readJournal(run.files.afterCrash(), PATH);
      const intents = kept.flatMap((event) => (event.type === "mutation.intent" ? [event.key] : []));
      const undeclared = [...run.shelf.values.keys()].filter((name) => !intents.includes(name));
      expect(undeclared, `done without a durable intent, full at operation ${at}: ${run.failing.operations[at - 1]}`).toEqual([]);
      for (const { id, outcome, error } of run.results) {
        const done = run.shelf.values.has(id.slice("shelf/".length));
        expect(outcome).toBe(done ? "changed" : "failed");
        if (!done) expect(error).toMatchObject({ kind: "user", code: "DISK_FULL" });
      }
      expect(run.losses.length).toBeLessThanOrEqual(1);
    }
});

test("the journal continues on a new line when the disk has room again", async () => {
  const run = await runWith({ at: 4, code: "ENOSPC", lasting: false });
  if (!run.opened) throw new Error("it could not be opened");
  const after = readJournal(run.files, PATH);
  expect(after.filter((event) => event.type === "step.finished")).toHaveLength(3);
});
