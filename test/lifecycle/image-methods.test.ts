import { afterEach, beforeEach, expect, test } from "vitest";
import { said } from "./invariants.ts";
import { Scene } from "./scene.ts";

// All image methods lead to the same verified cluster; other scenarios use `import`.

const ALL = { from: "preflight", until: "verify" } as const;
const NOTHING = { changes: [], notes: [] };
let scene: Scene;
beforeEach(async () => {
  scene = await Scene.open("image methods", { cluster: true });
});
afterEach(() => scene.close());

test("machines that installed themselves from an ISO form a cluster, detach the ISO, and boot without it", async () => {
  const files = scene.folder({ workers: 1, method: "iso", name: "by-iso" });
  const made = await scene.up(files, { stages: ALL });
  expect(made.exitCode, said(made)).toBe(0);
  expect((await scene.plan(files, undefined, ALL)).plan).toMatchObject(NOTHING);
  await scene.powerCycle();
  const again = await scene.up(files, { stages: ALL });
  expect(again.exitCode, said(again)).toBe(0);
  expect((await scene.root.vms()).map(({ config: { boot, ide0 } }) => ({ boot, ide0 }))).toEqual([
    { boot: "order=scsi0", ide0: undefined },
    { boot: "order=scsi0", ide0: undefined },
  ]);
  expect((await scene.plan(files, undefined, ALL)).plan).toMatchObject(NOTHING);
});

test("linked clones of a template form a cluster, and the second plan is empty", async () => {
  const files = scene.folder({ workers: 1, method: "template", clone: "linked", name: "by-template" });
  const made = await scene.up(files, { stages: ALL });
  expect(made.exitCode, said(made)).toBe(0);
  expect((await scene.plan(files, undefined, ALL)).plan).toMatchObject(NOTHING);
});
