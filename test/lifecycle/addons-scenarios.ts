import type { VolatileFiles } from "../support/volatile-files.ts";
import { addonWishes, bootstrappedIn, leftRights, objectsIn, openAddons, type WebWishes } from "./addons-scene.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { CHANGING, keeping } from "./cluster-scenarios.ts";
import { said } from "./invariants.ts";
import type { Play, Scenario } from "./scenario.ts";
import type { Scene } from "./scene.ts";

/** An installed cluster, with another config. */
async function installed(scene: Scene, wishes: WebWishes): Promise<VolatileFiles> {
  const files = await bootstrappedIn(scene);
  const outcome = await scene.up(files, { stages: CHANGING });
  if (outcome.exitCode !== 0) throw new Error(`the scenario cannot be prepared: ${said(outcome)}`);
  scene.configure(files, addonWishes(scene, wishes));
  return files;
}

/** Checks for an empty plan, no leftover rights, and whether web exists. */
const judge = (isThere: boolean): Scenario<Scene>["judge"] => {
  return async (scene) => async (files, secrets) => [
    ...(await clusterViolations(scene, files, secrets)),
    ...leftRights(scene),
    ...(objectsIn(scene, "deployments.apps").some(({ metadata }) => metadata.name === "web") === isThere
      ? []
      : [`web is ${isThere ? "not there" : "still there"}`]),
  ];
};

const services = ["kubernetes", "charts"];

/** Cilium, presets, a chart, a manifest and a Secret. */
export const ADDONS: Play<Scene> = keeping({
  open: openAddons,
  scenarios: [
    {
      name: "addons are installed",
      prepare: bootstrappedIn,
      run: (scene, files, seed) => scene.up(files, { stages: CHANGING, seed }),
      judge: judge(true),
      services,
    },
    {
      name: "an addon is upgraded",
      prepare: (scene) => installed(scene, { replicas: "2" }),
      run: (scene, files, seed) => scene.up(files, { stages: CHANGING, seed }),
      judge: judge(true),
      services,
      rare: true,
    },
    {
      name: "an addon is removed",
      prepare: (scene) => installed(scene, { without: "web" }),
      run: (scene, files, seed) => scene.up(files, { stages: CHANGING, seed, removeAddons: ["web"] }),
      judge: judge(false),
      services,
      rare: true,
    },
  ],
});
