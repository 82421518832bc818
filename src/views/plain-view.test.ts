import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../test/support/runs.ts";
import type { Event } from "../engine/event.ts";
import { plainView } from "./plain-view.ts";
import { anyRun } from "./testing/any-run.ts";
import { change, event, finished, pipe, plan, planned, plannedChange, progress, started, upStarted } from "./testing/script.ts";

function printed(events: readonly Event[]): string[] {
  const terminal = pipe();
  const view = plainView(terminal);
  for (const one of events) view.event(one);
  view.close();
  return terminal.text().split("\n").slice(0, -1);
}

const check = planned("preflight", "token", "check");
const machines = ["cp-1", "worker-1"].map((name) => planned("provision", `machine ${name}`));
const [cp1, worker1] = machines.map(({ id }) => id) as [string, string];
const cluster = planned("bootstrap", "cluster homelab");
const steps = event({ type: "steps", steps: [check, ...machines, cluster] });
const waiting = (elapsedMs: number, reason: string) =>
  event({ type: "step.waiting", step: cp1, condition: "etcd is healthy", reason, elapsedMs, limitMs: 600_000 });

test("a run reads from top to bottom: what was done, what failed, what that blocked, and each stage", () => {
  const error = { kind: "remote" as const, code: "X", message: "Unable to clone machine worker-1", hint: "try again" };
  const lines = printed([
    upStarted,
    steps,
    started(check.id),
    finished(check.id, "unchanged", 800),
    started(cp1, 1_000),
    started(worker1, 1_000),
    event({ type: "step.queued", step: worker1, lane: "storage local-lvm" }),
    progress(cp1, "starting"),
    finished(cp1, "changed", 8_900, { changes: [change("create", "machine cp-1")] }),
    finished(worker1, "failed", 9_000, { error }),
    finished(cluster.id, "blocked", 0, { blockedBy: worker1 }),
    event({
      type: "run.finished",
      run: "r",
      outcome: "failed",
      exitCode: 1,
      ms: 9_000,
      summary: "1 machine is ready.",
      next: [],
    }),
  ]);
  expect(lines).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    "✓ preflight   1 check   0.8 s",
    "· provision   machine worker-1: waits for its turn: storage local-lvm",
    "· provision   machine cp-1: starting",
    "✓ provision   machine cp-1: created   8.9 s",
    "✗ provision   machine worker-1: failed   9.0 s",
    "✗ Unable to clone machine worker-1",
    "  hint: try again",
    "",
    "✗ provision   1 of 2 machines, 1 failed   8.0 s",
    "· provision   machine worker-1: blocks 1 step",
    " ✗ 1 machine is ready.                                               9.0 s",
  ]);
});

test("percentages of the same thing are one line", () => {
  const lines = printed([
    upStarted,
    steps,
    ...[1, 42, 99].map((n) => progress(cp1, `cloning: ${n} %`)),
    progress(cp1, "starting"),
  ]);
  expect(lines.slice(1)).toEqual(["· provision   machine cp-1: cloning: 1 %", "· provision   machine cp-1: starting"]);
});

test("a wait is printed after five seconds and then each time it has doubled", () => {
  const waits = Array.from({ length: 60 }, (_, second) => waiting(second * 1_000, `try ${second}`));
  expect(printed([upStarted, steps, ...waits]).slice(1)).toEqual([
    "· provision   machine cp-1: waiting until etcd is healthy: try 5 (5.0 s, limit 10 min)",
    "· provision   machine cp-1: waiting until etcd is healthy: try 10 (10.0 s, limit 10 min)",
    "· provision   machine cp-1: waiting until etcd is healthy: try 20 (20.0 s, limit 10 min)",
    "· provision   machine cp-1: waiting until etcd is healthy: try 40 (40.0 s, limit 10 min)",
  ]);
});

test("stages are printed in their own order, whichever ends first", () => {
  const lines = printed([
    upStarted,
    steps,
    finished(cluster.id, "unchanged", 10),
    finished(cp1, "unchanged", 10),
    finished(worker1, "unchanged", 10),
    finished(check.id, "unchanged", 10),
  ]);
  expect(lines.slice(1)).toEqual([
    "✓ preflight   1 check",
    "✓ provision   2 machines (already there)",
    "✓ bootstrap   cluster homelab (already there)",
  ]);
});

test("in a pipe only the plan is printed, with each note once", () => {
  const finding = { level: "warn" as const, code: "KEPT", message: "worker-1: kept" };
  const lines = printed([
    { ...upStarted, command: "plan" } as Event,
    steps,
    started(cp1),
    event({ type: "step.finding", step: cp1, finding }),
    finished(cp1, "unchanged", 10),
    event({
      type: "result",
      result: plan([plannedChange("provision", "create", "machine cp-1")], { notes: [{ ...finding, step: cp1 }] }),
    }),
    event({ type: "run.finished", run: "r", outcome: "ok", exitCode: 2, ms: 1, summary: "1 change", next: [] }),
  ]);
  expect(lines.slice(1)).toEqual([
    "",
    "  provision   + machine cp-1",
    "",
    "  ! worker-1: kept",
    "",
    "1 to create, 0 to change, 0 to remove.        9 calls, 0.4 s",
  ]);
});

test("findings of a failed plan are printed", () => {
  const lines = printed([
    { ...upStarted, command: "plan" } as Event,
    steps,
    event({ type: "step.finding", step: cp1, finding: { level: "warn", code: "KEPT", message: "worker-1: kept" } }),
    event({ type: "error", error: { kind: "remote", code: "X", message: "Unable to reach pve" } }),
    event({
      type: "run.finished",
      run: "r",
      outcome: "failed",
      exitCode: 1,
      ms: 1_000,
      summary: "Nothing was changed.",
      next: [],
    }),
  ]);
  expect(lines).toEqual([
    "✗ Unable to reach pve",
    "",
    "  ! worker-1: kept",
    " ✗ Nothing was changed.                                              1.0 s",
  ]);
});

test("an error is printed once, although its step and its run both report it", () => {
  const error = { kind: "remote" as const, code: "X", message: "Unable to clone" };
  const lines = printed([upStarted, steps, finished(cp1, "failed", 1, { error }), event({ type: "error", error })]);
  expect(lines.filter((row) => row.includes("Unable to clone"))).toHaveLength(1);
});

test("a failed check prints its findings, without the error made of them", () => {
  const hint = "as root on pve: pveum acl modify /";
  const error = { kind: "remote" as const, code: "ACL", message: "Unable to continue: token", detail: "lacks VM.Clone", hint };
  const lines = printed([
    upStarted,
    steps,
    started(check.id),
    event({ type: "step.finding", step: check.id, finding: { level: "fail", code: "ACL", message: "lacks VM.Clone", hint } }),
    finished(check.id, "failed", 100, { error }),
    event({ type: "error", error }),
  ]);
  expect(lines.slice(1)).toEqual([
    "  ✗ lacks VM.Clone",
    "      fix, as root on pve: pveum acl modify /",
    "✗ preflight   token: failed   0.1 s",
  ]);
});

test("whatever happens in a run, a log gets no control characters but line ends", () => {
  fc.assert(
    fc.property(anyRun, (events) => {
      for (const row of printed(events)) expect(row).not.toMatch(/\p{Cc}/u);
    }),
    { numRuns: runs(80) },
  );
});

test("a command without a list of steps prints its waits, too", () => {
  expect(printed([waiting(100, "1 of 3"), waiting(6_000, "2 of 3"), waiting(7_000, "2 of 3")])).toEqual([
    expect.stringMatching(/^· .*etcd.*2 of 3.*\(6\.0 s, limit 10 min\)$/),
  ]);
});
