import type { RescueState } from "@talosmith/lab/rescue/state.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { folderWith } from "./commands.ts";
import { said } from "./invariants.ts";
import { RentedScene } from "./rented-scene.ts";
import type { Play, Scenario } from "./scenario.ts";
import { keepingService } from "./service-watch.ts";

/* One server is taken over, with and without its provider's API, and returned. */

const services = ["rescue", "hetzner", "factory", "talos"];
const run: Scenario<RentedScene>["run"] = (scene, files, seed) => scene.up(files, { seed });

const server = (scene: RentedScene, name: string) =>
  scene.lab.state<RescueState>("rescue").servers.find((one) => one.name === name);

/** Violations after an `up` that reported success. */
const judge = (name: string): Scenario<RentedScene>["judge"] => {
  return async (scene) => async (files) => {
    const plan = await scene.plan(files);
    const runs = server(scene, name)?.runs;
    return [
      ...(runs === "talos" ? [] : [`the server runs ${runs}`]),
      ...(plan.exitCode === 0 ? [] : [`the second plan is not empty: ${said(plan)}`]),
    ];
  };
};

/** A folder with a token for the provider's API: the server is restarted into its rescue system, and gets a firewall. */
function withProvider(scene: RentedScene): string {
  const url = scene.published("hetzner", "url");
  return scene.config({
    nodes: [{ server: "vps-2", hostKey: "first" }],
    vps: `  provider: { name: hetzner, url: "${url}", token: "\${env:LAB_TOKEN}" }\n`,
  });
}

async function standing(scene: RentedScene, config: string): Promise<VolatileFiles> {
  const files = folderWith(config);
  const outcome = await scene.up(files);
  if (outcome.exitCode !== 0) throw new Error(`the scenario cannot be prepared: ${said(outcome)}`);
  return files;
}

export const RENTED: Play<RentedScene> = keepingService({
  open: (seed) =>
    RentedScene.open(seed, [
      { name: "vps-1", address: 11 },
      { name: "vps-2", address: 12, runs: "system", firmware: "uefi" },
    ]),
  scenarios: [
    {
      name: "a server in its rescue system is taken over",
      prepare: async (scene) => folderWith(scene.config()),
      run,
      judge: judge("vps-1"),
      services,
    },
    {
      name: "a server is restarted into its rescue system by its provider, and taken over",
      prepare: async (scene) => folderWith(withProvider(scene)),
      run,
      judge: judge("vps-2"),
      services,
    },
    {
      name: "a server is wiped and left to its owner",
      prepare: (scene) => standing(scene, withProvider(scene)),
      run: (scene, files) => scene.down(files),
      judge: async (scene) => async () => {
        const runs = server(scene, "vps-2")?.runs;
        return runs === "talos" ? ["the server still runs Talos"] : [];
      },
      services,
      rare: true,
    },
  ],
});
