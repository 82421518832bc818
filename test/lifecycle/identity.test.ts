import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { said } from "./invariants.ts";
import { FOLDER, Scene } from "./scene.ts";

/* A node without a config cannot prove its identity, and its config holds every secret of the cluster. */

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open("identity", { cluster: true });
});
afterAll(() => scene.close());

interface Machines {
  machines: Record<string, { hardware: { uuid: string; links: { mac: string }[] } }>;
}

test.each(["uuid", "mac"])("nothing is sent to a machine at a node's address whose %s differs", async (what) => {
  const files = scene.folder({ name: `id-${what}`, workers: 0, offset: what === "mac" ? 50 : 0 });
  expect((await scene.up(files)).exitCode).toBe(0);
  scene.lab.turn(() => {
    for (const { hardware } of Object.values(scene.lab.state<Machines>("talos").machines)) {
      if (what === "uuid") hardware.uuid = "00000000-0000-4000-8000-000000000000";
      for (const link of what === "mac" ? hardware.links : []) link.mac = "02:00:00:00:00:01";
    }
  });
  scene.lab.recorder.clear();
  const outcome = await scene.up(files, { stages: ALL_STAGES });
  expect([outcome.exitCode, said(outcome)]).toEqual([1, expect.stringContaining("WRONG_MACHINE")]);
  expect(scene.lab.recorder.calls().filter((call) => call.site.endsWith("/ApplyConfiguration"))).toEqual([]);
});

test("a machine whose tags were removed is still recognized as its node, and only the tags differ", async () => {
  const files = scene.folder({ name: "untagged", workers: 0, offset: 100 });
  const made = await scene.up(files, { stages: ALL_STAGES });
  expect(made.exitCode, said(made)).toBe(0);
  const vm = (await scene.root.vms()).find((one) => one.config.ipconfig0?.includes(`${scene.at.block}.111/`));
  await scene.root.call("PUT", `/nodes/${vm?.node}/qemu/${vm?.vmid}/config`, { delete: "tags" });
  const { plan } = await scene.plan(files, FOLDER, ALL_STAGES);
  expect(plan?.changes.map((change) => [change.subject, change.fields.map((field) => field.path)])).toEqual([
    ["machine cp-1", ["tags"]],
  ]);
});
