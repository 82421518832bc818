import fc from "fast-check";
import { expect, test } from "vitest";
import type { Event } from "../engine/event.ts";
import { reportView } from "./report-view.ts";
import { anyRun } from "./testing/any-run.ts";
import { change, event, finished, plan, planned, plannedChange, started, upStarted } from "./testing/script.ts";

function report(events: readonly Event[]): string {
  const view = reportView();
  for (const one of events) view.event(one);
  return view.markdown();
}

const config = planned("generate", "machine config cp-1");
const cp1 = planned("provision", "machine cp-1");
const worker = planned("provision", "machine worker|1");
const cluster = planned("bootstrap", "cluster homelab");

const failedRun: Event[] = [
  upStarted,
  event({ type: "result", result: plan([plannedChange("provision", "create", "machine cp-1")]) }),
  event({ type: "steps", steps: [config, cp1, worker, cluster] }),
  started(config.id),
  finished(config.id, "changed", 100, { changes: [change("create", "controlplane.yaml")] }),
  started(cp1.id, 1_000),
  started(worker.id, 1_000),
  event({ type: "mutation.intent", step: cp1.id, key: "vm 104", what: "create machine cp-1" }),
  event({ type: "mutation.outcome", step: cp1.id, key: "vm 104", what: "create machine cp-1", ok: true }),
  event({ type: "mutation.intent", step: worker.id, key: "vm 105", what: "create machine worker" }),
  event({
    type: "step.waiting",
    step: cp1.id,
    condition: "maintenance mode",
    reason: "no answer yet",
    elapsedMs: 7_000,
    limitMs: 300_000,
  }),
  event({ type: "step.finding", step: cp1.id, finding: { level: "warn", code: "W", message: "disk kept", hint: "grow it" } }),
  finished(cp1.id, "changed", 8_900, { changes: [change("create", "machine cp-1")] }),
  finished(worker.id, "failed", 9_000, {
    error: { kind: "remote", code: "X", message: "Unable to create machine", detail: "no space" },
  }),
  finished(cluster.id, "blocked", 9_000, { blockedBy: worker.id }),
  event({ type: "notice", level: "info", message: "the token expires in 3 days" }),
  event({
    type: "run.finished",
    run: "2026-11-15T20-14-03",
    outcome: "failed",
    exitCode: 1,
    ms: 9_000,
    summary: "1 machine is ready",
    next: ["talosmith up environments/homelab"],
    report: "environments/homelab/.talosmith/runs/2026-11-15T20-14-03/report.md",
  }),
];

test("a report contains outcome, errors, plan, steps, calls, waits, findings, files and next commands", () => {
  expect(report(failedRun)).toBe(`# homelab: up

|  |  |
| --- | --- |
| Outcome | failed: 1 machine is ready |
| Run | 2026-11-15T20-14-03 |
| Started | 2026-11-15T20:14:03.000Z |
| Took | 9.0 s |
| Platform | proxmox pve (192.168.122.70) |
| Talos | v1.13.9 |
| Kubernetes | v1.36.3 |

## Errors

\`\`\`text
✗ Unable to create machine
  no space
\`\`\`

## Plan

\`\`\`text
homelab · proxmox pve (192.168.122.70) · Talos v1.13.9 · Kubernetes v1.36.3

  provision   + machine cp-1

1 to create, 0 to change, 0 to remove.        9 calls, 0.4 s
\`\`\`

## Steps

|  | stage |  | time |
| --- | --- | --- | --- |
| ✓ | generate | machine config cp-1 (created) | 0.1 s |
| ✗ | provision | 1 of 2 machines, 1 failed, 1 warning | 8.0 s |
| · | bootstrap | blocked by machine worker\\|1 |  |

|  | step | result | time |
| --- | --- | --- | --- |
| ✓ | machine config cp-1 | created | 0.1 s |
| ✓ | machine cp-1 | created | 8.9 s |
| ✗ | machine worker\\|1 | Unable to create machine | 9.0 s |
| · | cluster homelab | blocked by machine worker\\|1 |  |

## Calls that changed something

- create machine cp-1
- create machine worker — no response

## Waits

| step | waited for | last reason | at least | limit |
| --- | --- | --- | --- | --- |
| machine cp-1 | maintenance mode | no answer yet | 7.0 s | 5 min |

## Findings

- **warn** machine cp-1: disk kept (grow it)

## Notices

- the token expires in 3 days

## Files

- \`environments/homelab\` — the environment's folder
- machine config cp-1 — created by this run
- \`environments/homelab/.talosmith/runs/2026-11-15T20-14-03/report.md\` — this report, beside every event of the run

## Next commands

\`\`\`text
talosmith up environments/homelab
\`\`\`
`);
});

test("the report of a killed run says that it did not end", () => {
  expect(report([upStarted, event({ type: "steps", steps: [cp1] }), started(cp1.id)])).toContain("| Outcome | did not end |");
});

test("the report of a run without changes says that nothing had to be changed", () => {
  const lines = report([upStarted, event({ type: "steps", steps: [cp1] }), started(cp1.id), finished(cp1.id, "unchanged", 5)]);
  expect(lines).toContain("Nothing had to be changed.");
});

test("whatever happens in a run, its report can be written and holds no control characters", () => {
  fc.assert(
    fc.property(anyRun, (events) => {
      expect(report(events)).not.toMatch(/(?!\n)\p{Cc}/u);
    }),
    { numRuns: 200 },
  );
});
