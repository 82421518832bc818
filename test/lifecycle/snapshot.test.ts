import { createHash } from "node:crypto";
import type { FaultRule } from "@talosmith/lab/kernel/kernel.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import type { ConfigWishes } from "../support/config.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { said, text } from "./invariants.ts";
import { FOLDER, type Outcome, Scene } from "./scene.ts";

/* A snapshot of etcd is taken before its data can be lost (ADR 0050). Two control planes are created once, and restored for each test. */

const SNAPSHOTS = `${FOLDER}/.talosmith/snapshots`;
const DEAD: FaultRule = {
  service: "talos",
  site: "*/Etcd*",
  fault: { kind: "refuse", status: 14, message: "connection error: connection refused" },
};

let scene: Scene;
let made: VolatileFiles;
let at: string;

beforeAll(async () => {
  scene = await Scene.open("snapshot", { cluster: true });
  made = scene.folder({ controlPlanes: 2, workers: 0 });
  const outcome = await scene.up(made, { stages: ALL_STAGES });
  expect(outcome.exitCode, said(outcome)).toBe(0);
  at = scene.lab.snapshot();
});
afterAll(() => scene.close());

function again(wishes: ConfigWishes = { controlPlanes: 2, workers: 0 }): VolatileFiles {
  scene.lab.setFaults([]);
  scene.lab.restore(at);
  const files = made.afterKill();
  scene.configure(files, wishes);
  return files;
}

/** Both control planes at other addresses: no machine with etcd's data stays. */
function allReplaced(): VolatileFiles {
  const files = again();
  const config = text(files, `${FOLDER}/config.yaml`) ?? "";
  const { block } = scene.at;
  files.write(`${FOLDER}/config.yaml`, Buffer.from(config.replace(`ip: ${block}.11`, `ip: ${block}.15`)), 0o644);
  return files;
}

const machines = async () => (await scene.root.vms()).map((vm) => vm.config.name).sort();
/** Announced mutations without those of files in the folder. */
const intents = ({ events }: Outcome) =>
  events.flatMap((event) => (event.type === "mutation.intent" && !event.what.startsWith("write ") ? [event.what] : []));
const summary = ({ events }: Outcome) => events.flatMap((event) => (event.type === "run.finished" ? [event.summary] : []))[0];

function expectOneWhole(files: VolatileFiles): string {
  const names = files.list(SNAPSHOTS) ?? [];
  expect(names).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.db$/)]);
  const path = `${SNAPSHOTS}/${names[0]}`;
  const file = Buffer.from(files.read(path) ?? []);
  expect(createHash("sha256").update(file.subarray(0, -32)).digest()).toEqual(file.subarray(-32));
  expect(file.includes("/registry/minions/cp-1")).toBe(true);
  expect(files.stat(path)?.mode).toBe(0o600);
  return path;
}

const TAKEN = "take a snapshot of etcd on cp-1";

test("a control plane leaves after a snapshot was taken from one that stays; afterwards no plan needs another", async () => {
  const files = again({ controlPlanes: 1, workers: 0 });
  // The first response is lost.
  scene.lab.setFaults([{ service: "talos", site: "*/EtcdSnapshot", times: 1, fault: { kind: "cut-after" } }]);
  const outcome = await scene.up(files, { allowRemove: ["cp-2"] });
  expect(outcome.exitCode, said(outcome)).toBe(0);
  const path = expectOneWhole(files);
  expect(summary(outcome)).toContain(`snapshot of etcd: ${path}`);
  const done = intents(outcome);
  expect(done.indexOf(TAKEN)).toBeGreaterThanOrEqual(0);
  expect(done.indexOf(TAKEN)).toBeLessThan(done.indexOf("cp-2 leaves etcd"));
  expect((await scene.plan(files)).plan?.changes).toEqual([]);
});

test("a control plane does not leave when no snapshot can be taken, unless that is allowed", async () => {
  const files = again({ controlPlanes: 1, workers: 0 });
  const silent: FaultRule = { ...DEAD, site: "*/EtcdStatus" };
  scene.lab.setFaults([silent]);
  const refused = await scene.up(files, { allowRemove: ["cp-2"] });
  expect([refused.exitCode, said(refused)]).toEqual([1, expect.stringMatching(/NO_SNAPSHOT: .*departure of node cp-2/)]);
  expect(intents(refused)).toEqual([]);
  expect(await machines()).toEqual(["cp-1", "cp-2"]);
  const outcome = await scene.up(files, { allowRemove: ["cp-2"], noSnapshot: true });
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expect(await machines()).toEqual(["cp-1"]);
  expect(files.list(SNAPSHOTS)).toBeUndefined();
});

test("a snapshot is taken before all control planes are replaced, and without one nothing is removed", async () => {
  const files = allReplaced();
  scene.lab.setFaults([DEAD]);
  const refused = await scene.up(files, { allowRemove: ["cp-1", "cp-2"] });
  expect([refused.exitCode, said(refused)]).toEqual([
    1,
    expect.stringContaining("NO_SNAPSHOT: Unable to continue: etcd snapshot"),
  ]);
  expect(intents(refused)).toEqual([]);
  scene.lab.setFaults([]);
  const outcome = await scene.up(files, { allowRemove: ["cp-1", "cp-2"] });
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expectOneWhole(files);
  expect(intents(outcome)[0]).toBe(TAKEN);
});

test("a run interrupted after the snapshot continues, although etcd is lost meanwhile", async () => {
  const files = allReplaced();
  const isFirstEnd = (event: { type: string; what?: string }) =>
    event.type === "mutation.outcome" && (event.what ?? "").startsWith("stop");
  const cut = await scene.up(files, { allowRemove: ["cp-1", "cp-2"], interruptAt: isFirstEnd });
  expect(cut.exitCode, said(cut)).toBe(130);
  expectOneWhole(files);
  scene.lab.setFaults([DEAD]);
  const outcome = await scene.up(files, { allowRemove: ["cp-1", "cp-2"] });
  expect(outcome.exitCode, said(outcome)).toBe(0);
});

test("down takes a snapshot before the first machine is removed, and a second down does nothing", async () => {
  const files = again();
  const outcome = await scene.down(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  const path = expectOneWhole(files);
  expect(summary(outcome)).toContain(`snapshot of etcd: ${path}`);
  expect(intents(outcome)[0]).toBe(TAKEN);
  expect(await machines()).toEqual([]);
  const second = await scene.down(files);
  expect([second.exitCode, said(second)]).toEqual([0, expect.not.stringContaining("snapshot")]);
});

test("down reports that etcd does not answer before it asks for confirmation, and continues", async () => {
  const files = again();
  scene.lab.setFaults([DEAD]);
  const plans: unknown[] = [];
  const outcome = await scene.down(files, {
    onEvent: (event) => {
      if (event.type === "result" && event.result.kind === "plan")
        plans.push(...event.result.notes.map(({ message }) => message));
    },
    confirm: async () => {
      expect(plans).toContainEqual(expect.stringContaining("no snapshot of etcd can be taken: cp-1: "));
      return true;
    },
  });
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expect(files.list(SNAPSHOTS)).toBeUndefined();
  expect(await machines()).toEqual([]);
});
