import { expect, test } from "vitest";
import type { Event } from "../engine/event.ts";
import { event, finished, plan, planned, plannedChange, progress, started, upStarted } from "./testing/script.ts";
import {
  cilium,
  cluster,
  cp1,
  created,
  steps,
  untilProvision,
  verify,
  watch,
  worker1,
  worker2,
  worker3,
} from "./testing/watch.ts";

test("stages collapse when they are done, and the running one shows its steps, their words, their times and their queues", async () => {
  const run = watch();
  await untilProvision(run);
  run.tell(
    started(cp1),
    started(worker1),
    started(worker2),
    event({ type: "step.queued", step: worker3, lane: "storage local-lvm" }),
  );
  await run.clock.advance(8_900);
  run.tell(finished(cp1, "changed", 8_900, created("machine cp-1")));
  run.tell(finished(worker1, "changed", 8_900, created("machine worker-1")), progress(worker2, "cloning: 42 %"));
  expect(await run.after(300)).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    " ✓ preflight    14 checks                                            0.8 s",
    " ✓ image        talos-v1.13.9-37656798 (already there)               0.1 s",
    " ⠹ provision    2 of 4 machines                                      9.2 s",
    "     ✓ cp-1       created                                            8.9 s",
    "     ✓ worker-1   created                                            8.9 s",
    "     ⠹ worker-2   cloning: 42 %                                      9.2 s",
    "     · worker-3   waits for its turn: storage local-lvm",
    " ○ bootstrap   ○ addons   ○ verify",
  ]);
  run.view.close();
});

test("times and the spinner advance without events", async () => {
  const run = watch();
  run.tell(upStarted, steps, started(cp1));
  await run.clock.advance(1_000);
  const before = run.screen.lines();
  await run.clock.advance(1_300);
  const later = run.screen.lines();
  expect(before[2]).toMatch(/^ \S provision {4}0 of 4 machines +1\.0 s$/);
  expect(later[2]).toMatch(/^ \S provision {4}0 of 4 machines +2\.3 s$/);
  expect(later[2]?.[1]).not.toBe(before[2]?.[1]);
  run.view.close();
});

test("a wait shows its condition, the last reason, its time and its limit", async () => {
  const run = watch(120);
  run.tell(upStarted, steps, started(cp1));
  run.tell(
    event({
      type: "step.waiting",
      step: cp1,
      condition: "etcd is healthy",
      reason: "service is Preparing, image pull 61 %",
      elapsedMs: 129_000,
      limitMs: 600_000,
    }),
  );
  expect(await run.after(1_000)).toContain(
    "     ⠹ cp-1   waiting until etcd is healthy: service is Preparing, image pull 61 %   2 min 10 s (limit 10 min)",
  );
  run.view.close();
});

test("a notice in the middle of live drawing stays above the block, which goes on below it", async () => {
  const run = watch();
  run.tell(upStarted, steps, started(cp1));
  await run.clock.advance(500);
  run.tell(event({ type: "notice", level: "warn", message: "the host is almost full", hint: "free some space" }));
  expect(run.screen.lines().slice(0, 3)).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    "! the host is almost full",
    "  hint: free some space",
  ]);
  run.tell(progress(cp1, "starting"));
  const lines = await run.after(500);
  expect(lines.filter((row) => row.includes("almost full"))).toHaveLength(1);
  expect(lines.slice(3)).toEqual([
    " ○ preflight   ○ image",
    " ⠹ provision    0 of 4 machines                                      1.0 s",
    "     ⠹ cp-1   starting                                               1.0 s",
    " ○ bootstrap   ○ addons   ○ verify",
  ]);
  run.view.close();
});

test("the error of a failed step is printed at once, and blocked steps at the end", async () => {
  const run = watch();
  await untilProvision(run);
  run.tell(started(cp1), started(worker2));
  await run.clock.advance(4_000);
  const error = {
    kind: "remote" as const,
    code: "PROXMOX_PERMISSION",
    message: "Unable to clone machine worker-2: Proxmox refused it",
    detail: "pve answered 403: Permission check failed (/vms/9000, VM.Clone)",
    hint: "as root on pve:   pveum acl modify /vms/9000 --roles TalosmithDeploy",
  };
  run.tell(finished(worker2, "failed", 4_000, { error }));
  expect(run.screen.lines().slice(1, 4)).toEqual([
    "✗ Unable to clone machine worker-2: Proxmox refused it",
    "  pve answered 403: Permission check failed (/vms/9000, VM.Clone)",
    "  fix, as root on pve:   pveum acl modify /vms/9000 --roles TalosmithDeploy",
  ]);
  run.tell(finished(cp1, "changed", 4_000, created("machine cp-1")));
  for (const id of [worker1, worker3]) run.tell(finished(id, "unchanged", 10));
  for (const { id } of [cluster, cilium, verify]) run.tell(finished(id, "blocked", 0, { blockedBy: worker2 }));
  run.tell(event({ type: "error", error }));
  run.tell(
    event({
      type: "run.finished",
      run: "r",
      outcome: "failed",
      exitCode: 1,
      ms: 4_900,
      summary: "3 machines are ready; run the same command again to go on from here.",
      next: [],
    }),
  );
  run.view.close();
  expect(run.screen.lines()).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    "✗ Unable to clone machine worker-2: Proxmox refused it",
    "  pve answered 403: Permission check failed (/vms/9000, VM.Clone)",
    "  fix, as root on pve:   pveum acl modify /vms/9000 --roles TalosmithDeploy",
    "  runbook: talosmith runbook PROXMOX_PERMISSION",
    "",
    " ✓ preflight    14 checks                                            0.8 s",
    " ✓ image        talos-v1.13.9-37656798 (already there)               0.1 s",
    " ✗ provision    3 of 4 machines, 1 failed                            4.0 s",
    "     ✗ worker-2   Unable to clone machine worker-2: Proxmox refused it   4.0 s",
    " · bootstrap    blocked by machine worker-2",
    " · addons       blocked by machine worker-2",
    " · verify       blocked by machine worker-2",
    "",
    " ✗ 3 machines are ready; run the same command again to go on from here.   4.9 s",
  ]);
});

test("an interrupted run shows what it was doing, and leaves the cursor shown on a fresh line", async () => {
  const run = watch();
  run.tell(upStarted, steps, started(cp1), progress(cp1, "cloning: 42 %"));
  await run.clock.advance(2_000);
  expect(run.screen.cursorShown).toBe(false);
  run.tell(
    event({
      type: "run.finished",
      run: "r",
      outcome: "interrupted",
      exitCode: 130,
      ms: 2_000,
      summary: "Interrupted; run the same command again to go on.",
      next: ["talosmith up environments/homelab"],
    }),
  );
  run.view.close();
  expect(run.screen.lines()).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    " ○ preflight   ○ image",
    " ! provision    0 of 4 machines, 1 interrupted                       2.0 s",
    "     ! cp-1   interrupted: cloning: 42 %                             2.0 s",
    " ○ bootstrap   ○ addons   ○ verify",
    "",
    " ! Interrupted; run the same command again to go on.                 2.0 s",
    "   talosmith up environments/homelab",
  ]);
  expect(run.screen.cursorShown).toBe(true);
  expect(run.screen.cursor).toEqual({ row: 8, column: 0 });
});

test("steps that had not begun when the run was interrupted are shown as pending", async () => {
  const run = watch();
  run.tell(upStarted, steps, started(cp1));
  await run.clock.advance(1_000);
  for (const id of [cp1, worker1, cluster.id, cilium.id]) run.tell(finished(id, "interrupted", 1_000));
  run.tell(
    event({ type: "run.finished", run: "r", outcome: "interrupted", exitCode: 130, ms: 1_000, summary: "Stopped.", next: [] }),
  );
  run.view.close();
  expect(run.screen.lines().slice(1, 5)).toEqual([
    " ○ preflight   ○ image",
    " ! provision    0 of 4 machines, 1 interrupted                       1.0 s",
    "     ! cp-1   interrupted                                            1.0 s",
    " ○ bootstrap   ○ addons   ○ verify",
  ]);
});

test("close without an end keeps the last picture, shows the cursor and stops the clock", async () => {
  const run = watch();
  run.tell(upStarted, steps, started(cp1));
  await run.clock.advance(1_000);
  expect(run.clock.sleeping).toBe(1);
  run.view.close();
  run.view.close();
  expect(run.clock.sleeping).toBe(0);
  expect(run.screen.cursorShown).toBe(true);
  expect(run.screen.cursor.column).toBe(0);
  expect(run.screen.text()).toContain("0 of 4 machines");
});

test("the end shows the summary, the next commands and the report", async () => {
  const run = watch();
  run.tell(upStarted, event({ type: "steps", steps: [verify] }), started(verify.id), finished(verify.id, "unchanged", 0));
  run.tell(
    event({
      type: "run.finished",
      run: "r",
      outcome: "ok",
      exitCode: 0,
      ms: 112_000,
      summary: "homelab is up: 1 control plane, 3 workers, all Ready",
      next: ["kubectl --kubeconfig environments/homelab/kubeconfig get nodes", "talosmith status environments/homelab"],
      report: "environments/homelab/.talosmith/runs/2026-11-15T20-14-03/report.md",
    }),
  );
  expect(run.screen.lines().slice(-5)).toEqual([
    "",
    " homelab is up: 1 control plane, 3 workers, all Ready           1 min 52 s",
    "   kubectl --kubeconfig environments/homelab/kubeconfig get nodes",
    "   talosmith status environments/homelab",
    " report: environments/homelab/.talosmith/runs/2026-11-15T20-14-03/report.md",
  ]);
});

test("a result replaces the tree, and the cursor is shown for the next question", async () => {
  const run = watch();
  run.tell(upStarted, steps, started(cp1));
  await run.clock.advance(500);
  run.tell(event({ type: "result", result: plan([plannedChange("provision", "create", "machine cp-1")]) }));
  await run.clock.advance(5_000);
  expect(run.screen.lines()).toEqual([
    "homelab · up · run 2026-11-15T20-14-03",
    "homelab · proxmox pve (192.168.122.70) · Talos v1.13.9 · Kubernetes v1.36.3",
    "",
    "  provision   + machine cp-1",
    "",
    "1 to create, 0 to change, 0 to remove.        9 calls, 0.4 s",
  ]);
  expect(run.screen.cursorShown).toBe(true);
  run.tell(started(worker1));
  expect((await run.after(100)).slice(-3)).toEqual([
    " ⠹ provision    0 of 4 machines                                      0.1 s",
    "     ⠹ worker-1                                                      0.1 s",
    " ○ bootstrap   ○ addons   ○ verify",
  ]);
  run.view.close();
});

test("a finished plan leaves the plan and nothing else", async () => {
  const run = watch();
  run.tell({ ...upStarted, command: "plan" } as Event, steps, started(cp1), finished(cp1, "unchanged", 1));
  run.tell(event({ type: "result", result: plan([], { next: [] }) }));
  run.tell(event({ type: "run.finished", run: "r", outcome: "ok", exitCode: 0, ms: 1, summary: "no changes", next: [] }));
  run.view.close();
  expect(run.screen.lines()).toEqual([
    "homelab · proxmox pve (192.168.122.70) · Talos v1.13.9 · Kubernetes v1.36.3",
    "",
    "No changes. Everything is as the config says.        9 calls, 0.4 s",
  ]);
});

test("a run of checks only lists what every one of them found", async () => {
  const run = watch();
  const token = planned("preflight", "token", "check");
  run.tell({ ...upStarted, command: "doctor" } as Event, event({ type: "steps", steps: [token] }), started(token.id));
  const find = (level: "ok" | "warn" | "fail", message: string, hint?: string) =>
    event({ type: "step.finding", step: token.id, finding: { level, code: "X", message, ...(hint !== undefined && { hint }) } });
  run.tell(
    find("ok", "Proxmox VE 9.2.3 at 192.168.122.70:8006"),
    find("fail", "token lacks 2 of 14 privileges", 'as root on pve:\npveum role add TalosmithDeploy --privs "…"'),
    find("warn", "storage local-lvm: 61 GiB free, this plan needs 58 GiB"),
  );
  expect(run.screen.lines().slice(1, 6)).toEqual([
    "  ✓ Proxmox VE 9.2.3 at 192.168.122.70:8006",
    "  ✗ token lacks 2 of 14 privileges",
    "      fix, as root on pve:",
    '        pveum role add TalosmithDeploy --privs "…"',
    "  ! storage local-lvm: 61 GiB free, this plan needs 58 GiB",
  ]);
  run.view.close();
});
