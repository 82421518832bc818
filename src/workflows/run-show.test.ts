import type { TalosmithError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { createRun } from "../environment/runs.ts";
import { reportView } from "../views/report-view.ts";
import { showRun } from "./run-show.ts";

const DAYS = ["2026-11-15T20-14-03", "2026-11-16T08-00-00", "2026-11-16T09-30-00"];

/** An environment with a run on each of these days, which is all that its journal says. */
function scene(ids = DAYS) {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  for (const id of ids) {
    const at = `${id.slice(0, 10)}T${id.slice(11).replaceAll("-", ":")}.000Z`;
    const clock = { ...testSession().world.clock, now: () => Date.parse(at) };
    const run = createRun({ ...testSession({ files }).world, clock }, "/env");
    files.write(run.journal, Buffer.from(`${JSON.stringify({ at, type: "run.started", run: id, command: "up" })}\n`), 0o600);
    run.write("plan.json", "{}");
  }
  const session = testSession({ files });
  const show = (wanted: string) => showRun(session, "/env", wanted, reportView());
  const shown = async (wanted: string) => {
    await show(wanted);
    const last = session.events.at(-1);
    return last?.type === "result" && last.result.kind === "run" ? last.result : undefined;
  };
  const refused = (wanted: string) =>
    show(wanted).then(
      () => undefined,
      (error: TalosmithError) => error,
    );
  return { shown, refused };
}

test.each([
  ["2026-11-15T20-14-03", "2026-11-15T20-14-03"],
  ["2026-11-15", "2026-11-15T20-14-03"],
  ["2026-11-16T09", "2026-11-16T09-30-00"],
  ["last", "2026-11-16T09-30-00"],
])("%s is the run %s", async (wanted, id) => {
  const { shown } = scene();
  const folder = `/env/.talosmith/runs/${id}`;
  expect(await shown(wanted)).toMatchObject({ kind: "run", run: id, files: [`${folder}/plan.json`, `${folder}/events.jsonl`] });
});

test("a beginning that several runs share is refused with their names", async () => {
  const { refused } = scene();
  expect(await refused("2026-11-16")).toMatchObject({
    message: '2 runs begin with "2026-11-16"',
    detail: "2026-11-16T09-30-00\n2026-11-16T08-00-00",
  });
});

test.each([
  ["2026-11-15T20-14-30", "did you mean 2026-11-15T20-14-03?"],
  ["lsat", "did you mean last?"],
  ["yesterday", "to list them:  talosmith runs /env"],
])("the unknown run %s is answered with: %s", async (wanted, hint) => {
  const { refused } = scene();
  expect(await refused(wanted)).toMatchObject({
    code: "RUN_UNKNOWN",
    message: `/env has no run "${wanted}"`,
    hint: expect.stringContaining(hint),
  });
});

test("without runs it says so", async () => {
  expect(await scene([]).refused("last")).toMatchObject({ message: "/env has no runs yet" });
});
