import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { clusterViolations, talosInside } from "./cluster-invariants.ts";
import { said } from "./invariants.ts";
import { Scene } from "./scene.ts";
import { expectNoViolations } from "./violation.ts";

/* etcd must never be bootstrapped twice, whichever control planes answer: docs/adr/0017-the-mark-records-the-bootstrap.md. */

let scene: Scene;
let machines: string;
let folder: ReturnType<Scene["folder"]>;

beforeAll(async () => {
  scene = await Scene.open("etcd", { cluster: true });
  folder = scene.folder({ controlPlanes: 3, workers: 0 });
  const made = await scene.up(folder);
  expect(made.exitCode, said(made)).toBe(0);
  machines = scene.lab.snapshot();
});
afterAll(() => scene.close());

const up = (files: ReturnType<Scene["folder"]>) => scene.up(files, { stages: ALL_STAGES });
const bootstraps = () => talosInside(scene).bootstraps.length;

test("etcd is not bootstrapped while a control plane does not answer, and is once it does", async () => {
  scene.lab.restore(machines);
  const files = folder.afterKill();
  scene.lab.setFaults([{ service: "talos", resource: "*cp-3*", fault: { kind: "cut-before" } }]);
  const without = await up(files);
  expect([without.exitCode, said(without)]).toEqual([1, expect.stringContaining("cp-3")]);
  expect(bootstraps()).toBe(0);
  scene.lab.setFaults([]);
  const again = await up(files);
  expect(again.exitCode, said(again)).toBe(0);
  expectNoViolations(await clusterViolations(scene, files, undefined));
});

test("a control plane that stops answering after it got its config prevents the bootstrap, too", async () => {
  scene.lab.restore(machines);
  const files = folder.afterKill();
  // Its config was applied, and it does not answer afterwards: it might hold the data of a cluster created by another run.
  scene.onAnswer = () => {
    const applied = scene.lab.recorder.calls().filter((call) => call.site.endsWith("/ApplyConfiguration")).length;
    if (applied >= 3) scene.lab.setFaults([{ service: "talos", resource: "*cp-3*", fault: { kind: "cut-before" } }]);
  };
  scene.lab.recorder.clear();
  const without = await up(files);
  scene.onAnswer = undefined;
  expect(without.exitCode, said(without)).toBe(1);
  expect(bootstraps()).toBe(0);
  scene.lab.setFaults([]);
  expect((await up(files)).exitCode).toBe(0);
  expect(bootstraps()).toBe(1);
});

test("etcd whose data is lost on every control plane is not bootstrapped again, because the marks record it", async () => {
  scene.lab.restore(machines);
  const files = folder.afterKill();
  expect((await up(files)).exitCode).toBe(0);
  scene.lab.turn(() => {
    for (const disk of Object.values(talosInside(scene).disks)) delete disk.etcd;
  });
  await scene.powerCycle();
  const after = await up(files);
  expect([after.exitCode, said(after)]).toEqual([1, expect.stringContaining("ETCD_DATA_LOST")]);
  expect(bootstraps()).toBe(1);
});
