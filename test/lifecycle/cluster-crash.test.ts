import { afterAll, expect, test } from "vitest";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { said } from "./invariants.ts";
import { recoverFrom } from "./recover.ts";
import { FULL } from "./sample.ts";
import { Scene } from "./scene.ts";

/* From machines that wait for their config to a verified cluster: cut off at every kind of moment, the same command finishes the job. */

const scenes: Scene[] = [];
afterAll(() => Promise.all(scenes.map((scene) => scene.close())));
async function open(seed: string): Promise<Scene> {
  const scene = await Scene.open(seed, { cluster: true });
  scenes.push(scene);
  return scene;
}

/** Each recovery brings a whole cluster up. */
const EVERY = 9;

/** Machines that install themselves have more to be cut off in, and an ISO to let go of; the others are left to FULL=1. */
const METHODS = FULL ? (["iso", "import"] as const) : (["iso"] as const);

test.each(METHODS)(
  "cut off at any moment of bootstrap and addons, up finishes the job: one etcd, the same secrets (%s)",
  {
    timeout: 900_000,
  },
  async (method) => {
    const scene = await open("cluster");
    const files = scene.folder({ cilium: true, method });
    expect(await scene.up(files).then((outcome) => [outcome.exitCode, said(outcome)])).toEqual([0, expect.anything()]);
    const { found, mutations } = await recoverFrom(scene, files, {
      title: `cluster, by ${method}`,
      // Only those at which something remote had just changed: about to change is where the one before has left it.
      worthTrying: / × (after|took effect)/,
      // A power cut leaves no more of our folder than a kill does.
      ways: () => ["cut"],
      every: EVERY,
    });
    expect(found).toEqual([]);
    expect(mutations).toBeGreaterThan(10);
    expect((await scene.root.vms()).map(({ config }) => config.ide0)).toEqual([undefined, undefined, undefined]);
  },
);

/** A firewall is tried before it is kept, and a file makes each node reboot: emptied before, opened afterwards. */
const CHANGE = (block: string) => `firewall: { admin: [127.0.0.0/8, ${block}.0/24] }
patches: { all: [{ machine: { udev: { rules: ['KERNEL=="x"'] } } }] }
`;

test("killed at any moment of a change that is tried, staged and rebooted into, up finishes the job: nobody stays cordoned", {
  timeout: 900_000,
}, async () => {
  const scene = await open("change");
  const files = scene.folder();
  const first = await scene.up(files, { stages: ALL_STAGES });
  expect(first.exitCode, said(first)).toBe(0);
  scene.configure(files, { extra: CHANGE(scene.at.block) });
  const { found, mutations } = await recoverFrom(scene, files, {
    title: "change of configs",
    worthTrying: / × (after|took effect)/,
    ways: () => ["killed"],
    every: EVERY,
  });
  expect(found).toEqual([]);
  expect(mutations).toBeGreaterThan(10);
});
