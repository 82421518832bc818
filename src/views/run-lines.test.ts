import { expect, test } from "vitest";
import type { Event } from "../engine/event.ts";
import type { RunResult } from "../engine/result.ts";
import { render } from "./line.ts";
import { reportView } from "./report-view.ts";
import { runLines } from "./run-lines.ts";
import { change, event, finished, plan, planned, plannedChange, started, upStarted } from "./testing/script.ts";

const [disk, cp1, worker1, cilium] = [
  planned("preflight", "disks", "check"),
  planned("provision", "machine cp-1"),
  planned("provision", "machine worker-1"),
  planned("addons", "cilium 1.20.1"),
];
const error = {
  kind: "remote",
  code: "PROXMOX_TASK",
  message: "Unable to clone machine worker-1",
  detail: "no space left",
  hint: "free some",
} as const;
const changes = [plannedChange("provision", "create", "machine cp-1"), plannedChange("provision", "create", "machine worker-1")];
const begun: Event[] = [
  upStarted,
  event({ type: "result", result: plan(changes) }, 1_000),
  event({ type: "steps", steps: [disk, cp1, worker1, cilium] }, 1_000),
  started(disk.id, 1_000),
  finished(disk.id, "unchanged", 1_500),
  started(cp1.id, 2_000),
  started(worker1.id, 2_000),
  event({ type: "mutation.intent", step: cp1.id, key: "vm 104", what: "create machine cp-1" }, 2_000),
];
const failed: Event[] = [
  ...begun,
  event({ type: "mutation.outcome", step: cp1.id, key: "vm 104", what: "create machine cp-1", ok: true }, 8_000),
  finished(cp1.id, "changed", 8_900, { changes: [change("create", "machine cp-1")] }),
  finished(worker1.id, "failed", 9_000, { error }),
  finished(cilium.id, "blocked", 9_000, { blockedBy: worker1.id }),
  event(
    { type: "run.finished", run: "r", outcome: "failed", exitCode: 1, ms: 9_500, summary: "1 failed, 1 done", next: [] },
    9_500,
  ),
];

function past(events: readonly Event[]): RunResult {
  const view = reportView();
  for (const one of events) view.event(one);
  return {
    ...view.past(),
    run: "2026-11-15T20-14-03",
    files: ["environments/homelab/.talosmith/runs/2026-11-15T20-14-03/report.md"],
  };
}
const shown = (events: readonly Event[], columns?: number) =>
  runLines(past(events), { columns }).map((row) => render(row, false));

test("a run that failed: its plan, what was done and how long it took, errors and files", () => {
  expect(shown(failed, 80)).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    "✗ failed: 1 failed, 1 done",
    "  2026-11-15 20:14:03 UTC, took 9.5 s",
    "",
    "planned",
    "  provision",
    "    + machine cp-1",
    "    + machine worker-1",
    "",
    "done",
    "  ✓ preflight   1 check                                              0.5 s",
    "  ✗ provision   1 of 2 machines, 1 failed                            7.0 s",
    "      ✓ machine cp-1: created                                        8.9 s",
    "      ✗ machine worker-1: Unable to clone machine worker-1           9.0 s",
    "  · addons      blocked by machine worker-1",
    "      · cilium 1.20.1: blocked by machine worker-1",
    "",
    "errors",
    "  ✗ Unable to clone machine worker-1",
    "    no space left",
    "    hint: free some",
    "",
    "files",
    "  environments/homelab/.talosmith/runs/2026-11-15T20-14-03/report.md",
  ]);
});

test("a run that was killed: what had not finished, and calls without a response", () => {
  expect(shown(begun).slice(1, 3)).toEqual(["! cut off", "  2026-11-15 20:14:03 UTC, took 2.0 s"]);
  expect(shown(begun)).toContain("  ! provision   0 of 2 machines                                      0.0 s");
  expect(shown(begun)).toContain("  ○ addons      0 of 1 cilium");
  expect(shown(begun).join("\n")).toContain("without a recorded response\n  ! create machine cp-1");
});

test("for programs: stages with states and times, steps with results", () => {
  expect(past(failed)).toMatchObject({
    outcome: "failed",
    ms: 9_500,
    stages: [
      { stage: "preflight", state: "ok", ms: 500 },
      { stage: "provision", state: "failed", ms: 7_000 },
      { stage: "addons", state: "blocked" },
    ],
    steps: [
      { title: "machine cp-1", outcome: "changed", result: "created", ms: 8_900 },
      { title: "machine worker-1", outcome: "failed" },
      { title: "cilium 1.20.1", outcome: "blocked", result: "blocked by machine worker-1" },
    ],
    errors: [{ code: "PROXMOX_TASK" }],
    unfinished: [],
  });
});

test("no stage or step is wider than the terminal", () => {
  for (const columns of [60, 80, 120])
    for (const row of shown(failed, columns).slice(0, -1)) expect([columns, row.length <= columns]).toEqual([columns, true]);
});

test("a journal without any readable event is no error", () => {
  expect(past([])).toMatchObject({ command: "", outcome: "cut off", ms: 0, stages: [], steps: [] });
  expect(shown([])[1]).toBe("! cut off");
});
