import { afterAll, beforeAll, expect, test } from "vitest";
import { said } from "./invariants.ts";
import { Scene } from "./scene.ts";

// Several schematics in one cluster, and what becomes of them when the config changes.

const WORKER = (extensions: string) => `  - { name: disk-1, role: worker, ip: IP, extensions: [${extensions}] }\n`;
let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open("schematics", { cluster: true });
});
afterAll(() => scene.close());

test("another schematic for a living node is told, and the node stays as it is: that is an upgrade", async () => {
  const wishes = (extensions: string) => ({ workers: 0, extra: WORKER(extensions).replace("IP", `${scene.at.block}.31`) });
  const all = { from: "preflight", until: "verify" } as const;
  const files = scene.folder(wishes("siderolabs/iscsi-tools, siderolabs/util-linux-tools"));
  const made = await scene.up(files, { stages: all });
  expect(made.exitCode, said(made)).toBe(0);
  // The id of talos.md 6.1.
  const before = "613e1592b2da41ae5e265e8789429f22e121aab91cb4deb6bc3c0b6262961245";
  expect((await scene.plan(files, undefined, all)).plan).toMatchObject({ changes: [], notes: [] });
  scene.configure(files, wishes("siderolabs/qemu-guest-agent"));
  const { plan } = await scene.plan(files, undefined, all);
  // The files of the folder follow the config; the node does not.
  expect(plan?.changes.filter(({ step }) => !step.startsWith("generate/"))).toEqual([]);
  expect(plan?.notes.map(({ message }) => message)).toEqual([
    expect.stringMatching(new RegExp(`^disk-1: .*/nocloud-installer/${before}:v1\\.13\\.9, config says .*; kept`)),
  ]);
});
