import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../test/support/runs.ts";
import { frame } from "./frame.ts";
import { lineWidth } from "./line.ts";
import { printable } from "./printable.ts";
import { follow, newProgress } from "./progress.ts";
import { anyRun } from "./testing/any-run.ts";
import { event, planned, started } from "./testing/script.ts";

test("no picture is higher or wider than asked, at any moment of any run", () => {
  fc.assert(
    fc.property(anyRun, fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 25 }), (events, columns, rows) => {
      const run = newProgress();
      for (const [index, one] of events.entries()) {
        follow(run, printable(one), index * 70);
        const lines = frame(run, index * 70, { columns, rows });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const row of lines) expect(lineWidth(row)).toBeLessThanOrEqual(columns);
      }
    }),
    { numRuns: runs(40) },
  );
});

test("every step under way has a line when there is room for all of them", () => {
  const run = newProgress();
  const steps = Array.from({ length: 12 }, (_, n) => planned("provision", `machine m${n}`));
  follow(run, event({ type: "steps", steps }), 0);
  for (const { id } of steps) follow(run, started(id), 0);
  expect(frame(run, 0, { columns: 80, rows: 13 })).toHaveLength(13);
});
