import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../test/support/runs.ts";
import { terminalView } from "./terminal-view.ts";
import { anyRun } from "./testing/any-run.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { Screen } from "./testing/screen.ts";
import { event, finished, planned, progress, started, upStarted } from "./testing/script.ts";
import { cp1, created, steps, untilProvision, verify, watch, worker2 } from "./testing/watch.ts";

test("more steps than rows: work under way before queues, queues before what is done, and the rest is counted", async () => {
  const run = watch(100, 10);
  const many = Array.from({ length: 20 }, (_, n) => planned("provision", `machine node-${n}`));
  run.tell(upStarted, event({ type: "steps", steps: [...many, verify] }));
  run.tell(...many.slice(0, 8).flatMap(({ id }) => [started(id), finished(id, "changed", 100, created(id))]));
  run.tell(...many.slice(8, 10).map(({ id }) => started(id)));
  run.tell(...many.slice(10, 20).map(({ id }) => event({ type: "step.queued", step: id, lane: "storage local-lvm" })));
  const lines = await run.after(500);
  expect(lines).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    " ⠹ provision    8 of 20 machines                                     0.5 s",
    "     ⠹ node-8                                                        0.5 s",
    "     ⠹ node-9                                                        0.5 s",
    "     · node-10   waits for its turn: storage local-lvm",
    "     · node-11   waits for its turn: storage local-lvm",
    "     · node-12   waits for its turn: storage local-lvm",
    "     · node-13   waits for its turn: storage local-lvm",
    "     … 14 more",
    " ○ verify",
  ]);
  run.view.close();
});

test("a terminal lower than the list of stages puts the finished ones on one line", async () => {
  const run = watch(100, 5);
  await untilProvision(run);
  run.tell(started(cp1), progress(cp1, "cloning"));
  const lines = await run.after(100);
  expect(lines.slice(1)).toEqual([
    " ✓ preflight   ✓ image",
    " ⠹ provision    0 of 4 machines                                      0.1 s",
    "     ⠹ cp-1   cloning                                                0.1 s",
    " ○ bootstrap   ○ addons   ○ verify",
  ]);
  run.view.close();
});

test("40 columns are enough: long text is cut, times stay", async () => {
  const run = watch(40);
  run.tell(upStarted, steps, started(worker2), progress(worker2, "cloning from talos-v1.13.9-37656798"));
  const lines = await run.after(1_000);
  expect(lines).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    " ○ preflight   ○ image",
    " ⠹ provision  0 of 4 machines     1.0 s",
    "   ⠹ worker-2  cloning from ta…   1.0 s",
    " ○ bootstrap   ○ addons   ○ verify",
  ]);
  run.view.close();
});

test("full-width names are cut by the columns they take", async () => {
  const run = watch(40);
  const wide = planned("provision", "機械の名前");
  run.tell(
    upStarted,
    event({ type: "steps", steps: [wide] }),
    started(wide.id),
    progress(wide.id, "複製しています複製しています"),
  );
  const lines = await run.after(100);
  expect(lines.at(-1)).toBe("   ⠹ 機械の名前  複製していま…    0.1 s");
  run.view.close();
});

test("a window made narrower in the middle leaves no remains of the wider picture", async () => {
  const run = watch(100);
  run.tell(upStarted, steps, started(cp1), progress(cp1, "cloning"));
  await run.clock.advance(1_000);
  run.screen.resize(50, 30);
  const lines = await run.after(100);
  expect(lines).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    " ○ preflight   ○ image",
    " ⠹ provision  0 of 4 machines               1.1 s",
    "   ⠹ cp-1  cloning                          1.1 s",
    " ○ bootstrap   ○ addons   ○ verify",
  ]);
  run.view.close();
});

test("a line as wide as the terminal, printed above the picture, keeps its last letter", async () => {
  const run = watch(40);
  run.tell(upStarted, steps, started(cp1));
  await run.clock.advance(100);
  run.tell(event({ type: "notice", level: "info", message: `${"x".repeat(37)}!` }));
  expect(run.screen.lines()[1]).toBe(`· ${"x".repeat(37)}!`);
  run.view.close();
});

test("a long line printed above the picture leaves nothing of the picture beside it", async () => {
  const run = watch(40);
  run.tell(upStarted, steps, started(cp1));
  await run.clock.advance(100);
  run.tell(event({ type: "notice", level: "info", message: "y".repeat(45) }));
  expect(run.screen.lines().slice(1, 3)).toEqual([`· ${"y".repeat(38)}`, "y".repeat(7)]);
  run.view.close();
});

test("without colour nothing but cursor movements is sent; with it the text is the same", async () => {
  const plain = new Screen(100, 30, false);
  const coloured = new Screen(100, 30, true);
  for (const screen of [plain, coloured]) {
    const view = terminalView(screen, new ManualClock());
    for (const one of [upStarted, steps, started(cp1), finished(cp1, "failed", 1)]) view.event(one);
    view.close();
  }
  expect(plain.colours).toBe(0);
  expect(coloured.colours).toBeGreaterThan(0);
  expect(coloured.text()).toBe(plain.text());
});

test("a burst of events is drawn once, not once for each", () => {
  const run = watch();
  run.tell(upStarted, steps, started(cp1));
  const before = run.screen.raw.length;
  for (let n = 0; n < 1000; n++) run.tell(progress(cp1, `cloning: ${n}`));
  expect(run.screen.raw.length - before).toBe(0);
  run.view.close();
  expect(run.screen.text()).toContain("cloning: 999");
});

test("whatever happens in a run, it is drawn without a throw, within the rows and the columns there are", async () => {
  await fc.assert(
    fc.asyncProperty(anyRun, fc.integer({ min: 1, max: 130 }), fc.integer({ min: 1, max: 30 }), async (events, width, height) => {
      const run = watch(width, height);
      for (const one of events) {
        run.tell(one);
        await run.clock.advance(70);
      }
      run.view.close();
      expect(run.screen.overshoots).toBe(0);
      if (height > 1) expect(run.screen.wipes).toBe(0);
      expect(run.screen.cursorShown).toBe(true);
      expect(run.screen.cursor.column).toBe(0);
    }),
    { numRuns: runs(50) },
  );
});
