import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event } from "../../src/engine/event.ts";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { said } from "./invariants.ts";
import { FOLDER, type Outcome, Scene } from "./scene.ts";

/* A whole cluster is switched off and on again: exceptional cases, and other commands meanwhile. 3 control planes, 2 workers. */

let scene: Scene;
let folder: ReturnType<Scene["folder"]>;
let running: string;
let off: string;

beforeAll(async () => {
  scene = await Scene.open("power", { cluster: true });
  folder = scene.folder({ controlPlanes: 3, workers: 2 });
  const made = await scene.up(folder, { stages: ALL_STAGES });
  expect(made.exitCode, said(made)).toBe(0);
  running = scene.lab.snapshot();
  const stopped = await scene.stop(folder);
  expect(stopped.exitCode, said(stopped)).toBe(0);
  off = scene.lab.snapshot();
});
afterAll(() => scene.close());

function from(lab: string) {
  scene.lab.restore(lab);
  return folder.afterKill();
}

const switchedOn = async () => (await scene.root.vms()).flatMap((vm) => (vm.running ? [vm.config.name] : [])).sort();
const progress = ({ events }: Outcome) => events.flatMap((event) => (event.type === "step.progress" ? [event.text] : []));
const shutDown = (name: string) => (event: Event) => event.type === "mutation.outcome" && event.what === `shut down ${name}`;

test("the plan of a stopped cluster switches machines on, and replaces and removes nothing", async () => {
  const { plan, exitCode } = await scene.plan(from(off), FOLDER, ALL_STAGES);
  expect([exitCode, plan?.next]).toEqual([2, [`talosmith start ${FOLDER}`]]);
  expect(plan?.changes.filter(({ verb }) => ["replace", "delete", "restart"].includes(verb))).toEqual([]);
  expect(plan?.changes.filter(({ subject }) => subject.startsWith("machine "))).toHaveLength(5);
});

test("verify reports at once that a stopped cluster is off", async () => {
  const files = from(off);
  const before = scene.lab.now();
  const outcome = await scene.verify(files);
  expect(outcome.exitCode).toBe(1);
  expect(said(outcome)).toContain("life is off: all 5 machines are stopped");
  expect(scene.lab.now() - before).toBeLessThan(60_000);
});

test("a hanging machine is shut down through Proxmox, and switched off when that does not help", async () => {
  const files = from(running);
  scene.lab.strike("node-hang", ["worker-1"]);
  const outcome = await scene.stop(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expect(await switchedOn()).toEqual([]);
  expect(progress(outcome)).toContainEqual(expect.stringContaining("it did not shut down within 180 s: Proxmox switches it off"));
});

test("a resumed stop switches off the machines it started with, whatever the config says by then", async () => {
  const files = from(running);
  const first = await scene.stop(files, { interruptAt: shutDown("worker-1") });
  expect(first.exitCode).toBe(130);
  scene.configure(files, { controlPlanes: 3, workers: 1 });
  const refused = await scene.up(files, { stages: ALL_STAGES });
  expect([refused.exitCode, said(refused)]).toEqual([1, expect.stringContaining('"stop" of life was interrupted')]);
  const second = await scene.stop(files);
  expect(second.exitCode, said(second)).toBe(0);
  expect(await switchedOn()).toEqual([]);
});

test("with a host offline start starts the other machines, names the missing ones, and finishes once the host is back", async () => {
  const files = from(off);
  const lost = (await scene.root.vms()).find(({ config }) => config.name === "cp-2")?.node ?? "";
  scene.lab.strike("power-loss", [lost]);
  const first = await scene.start(files);
  expect([first.exitCode, said(first)]).toEqual([1, expect.stringContaining(`machine cp-2: its host ${lost} is offline`)]);
  const { machines } = scene.lab.state<{ machines: Record<string, { name: string; boot?: object }> }>("talos");
  const up = Object.values(machines).flatMap(({ name, boot }) => (boot ? [name] : []));
  expect(up).toEqual(expect.arrayContaining(["cp-1", "cp-3"]));
  const refused = await scene.up(files, { stages: ALL_STAGES });
  expect([refused.exitCode, said(refused)]).toEqual([1, expect.stringContaining('"start" of life was interrupted')]);
  scene.lab.strike("power-on", [lost]);
  const second = await scene.start(files);
  expect(second.exitCode, said(second)).toBe(0);
  expect(await switchedOn()).toHaveLength(5);
});

test("start removes a leftover cordon of talosmith", async () => {
  const files = from(off);
  interface Node {
    metadata: { name: string; annotations?: Record<string, string> };
    spec: { unschedulable?: boolean };
  }
  const nodes = () => {
    const { clusters } = scene.lab.state<{ clusters: Record<string, { objects: { nodes: Record<string, Node> } }> }>(
      "kubernetes",
    );
    return Object.values(Object.values(clusters)[0]?.objects.nodes ?? {});
  };
  scene.lab.turn(() => {
    for (const { metadata, spec } of nodes()) {
      if (metadata.name !== "worker-2") continue;
      metadata.annotations = { ...metadata.annotations, "talosmith.dev/cordoned-for": "restart" };
      spec.unschedulable = true;
    }
  });
  const started = await scene.start(files);
  expect(started.exitCode, said(started)).toBe(0);
  expect(nodes().filter(({ spec }) => spec.unschedulable === true)).toEqual([]);
});

test("an interrupted stop can be abandoned, and up starts everything again", async () => {
  const files = from(running);
  const interrupted = await scene.stop(files, { interruptAt: shutDown("worker-1") });
  expect(interrupted.exitCode, said(interrupted)).toBe(130);
  const refused = await scene.up(files, { stages: ALL_STAGES });
  expect(said(refused)).toMatch(/OPERATION_OPEN: .*"stop"/);
  const abandoned = await scene.abandon(files);
  expect(abandoned.exitCode, said(abandoned)).toBe(0);
  const outcome = await scene.up(files, { stages: ALL_STAGES });
  expect(outcome.exitCode, said(outcome)).toBe(0);
  expect(await switchedOn()).toHaveLength(5);
});

test("down removes a stopped cluster, and reports that no snapshot of etcd can be taken", async () => {
  const files = from(off);
  const outcome = await scene.down(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  const notes = outcome.events.flatMap((event) =>
    event.type === "result" && event.result.kind === "plan" ? event.result.notes : [],
  );
  expect(notes).toContainEqual(expect.objectContaining({ level: "warn", code: "NO_SNAPSHOT" }));
  expect(await scene.root.vms()).toEqual([]);
});
