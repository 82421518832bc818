import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { said } from "./invariants.ts";
import { Scene } from "./scene.ts";

// Work of an earlier run that is still running in the lab when the next command starts. Time advances with each call, and the lab is restored to
// the moment of the interruption, so that the work is still running.

let scene: Scene;
let fresh: string;

beforeAll(async () => {
  scene = await Scene.open("under way", { perCallMs: 100, buildMs: 500 });
  fresh = scene.lab.snapshot();
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.lab.restore(fresh);
  scene.lab.recorder.clear();
});

/** Interrupts an up once it has done that, restores the lab to that moment and returns the moment. */
async function cutOffAt(files: VolatileFiles, what: string): Promise<string> {
  let moment = "";
  const cut = await scene.up(files, {
    interruptAt: (event) => {
      const isIt = event.type === "mutation.outcome" && event.what === what;
      if (isIt) moment = scene.lab.snapshot();
      return isIt;
    },
  });
  expect(cut.exitCode).toBe(130);
  scene.lab.restore(moment);
  return moment;
}

const calls = (site: string) => scene.lab.recorder.calls().filter((call) => call.site === site);

test("down waits for a machine that is being created, whether in the config or not, and removes it", async () => {
  const files = scene.folder({ workers: 1 });
  await cutOffAt(files, "create machine worker-1");
  expect((await scene.root.vms()).map((vm) => vm.config.lock)).toContain("create");
  scene.configure(files, { workers: 0 });
  const down = await scene.down(files);
  expect(down.exitCode, said(down)).toBe(0);
  expect(await scene.root.vms(), "machines that down left behind").toEqual([]);
});

test("a machine that a cut-off run is creating is awaited, although the config no longer contains it", async () => {
  const files = scene.folder({ workers: 1 });
  await cutOffAt(files, "create machine worker-1");
  scene.configure(files, { workers: 0 });
  const { plan } = await scene.plan(files);
  expect(plan?.changes.map(({ verb, subject }) => `${verb} ${subject}`)).toContain("delete machine worker-1");
});

test("a plan does not wait for a machine that another environment is creating", async () => {
  const other = scene.folder({ name: "other", offset: 100, workers: 0 });
  expect((await scene.up(other)).exitCode).toBe(0);
  await cutOffAt(scene.folder({ workers: 1 }), "create machine worker-1");
  expect((await scene.plan(other)).plan?.changes).toEqual([]);
  expect((await scene.root.vms()).map((vm) => vm.config.lock)).toContain("create");
});

test("a shutdown still running after an interrupted restart is awaited before the next plan", async () => {
  const files = scene.folder({ workers: 0 });
  expect((await scene.up(files)).exitCode).toBe(0);
  scene.configure(files, { workers: 0, memory: "6GiB" });
  const moment = await cutOffAt(files, "shut down cp-1");
  expect((await scene.root.vms()).map((vm) => vm.running)).toEqual([true]);
  await scene.plan(files);
  expect(
    (await scene.root.vms()).map((vm) => vm.running),
    "the machine while it is planned",
  ).toEqual([false]);
  scene.lab.restore(moment);
  const up = await scene.up(files);
  expect(up.exitCode, `after a restart that was cut off: ${said(up)}`).toBe(0);
  expect((await scene.root.vms()).map((vm) => [vm.running, vm.config.memory])).toEqual([[true, "6144"]]);
});

test("a running download of an image is awaited, not started again", async () => {
  scene.lab.setFaults([{ site: "POST /nodes/:node/storage/:storage/download-url", occurrence: 1, fault: { kind: "cut-after" } }]);
  const up = await scene.up(scene.folder({ workers: 0 }));
  scene.lab.setFaults([]);
  expect(up.exitCode, said(up)).toBe(0);
  expect(calls("POST /nodes/:node/storage/:storage/download-url"), "downloads of one image").toHaveLength(1);
});

test("a machine that is starting is not started again", async () => {
  scene.lab.setFaults([{ site: "POST /nodes/:node/qemu/:vmid/status/start", occurrence: 1, fault: { kind: "cut-after" } }]);
  const up = await scene.up(scene.folder({ workers: 0 }));
  scene.lab.setFaults([]);
  expect(up.exitCode, said(up)).toBe(0);
  expect(calls("POST /nodes/:node/qemu/:vmid/status/start"), "starts of one machine").toHaveLength(1);
});
