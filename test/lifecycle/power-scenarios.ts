import type { VolatileFiles } from "../support/volatile-files.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { CHANGING, made } from "./cluster-scenarios.ts";
import { said } from "./invariants.ts";
import { watchOrder } from "./power-watch.ts";
import type { Play, Scenario } from "./scenario.ts";
import { FOLDER, type Outcome, Scene } from "./scene.ts";

const services = ["proxmox", "talos", "kubernetes"];
const FIVE = { controlPlanes: 3, workers: 2 };
const TWO = { controlPlanes: 1, workers: 1 };

type Run = (scene: Scene, files: VolatileFiles, seed?: string) => Promise<Outcome>;

const start: Run = (scene, files, seed = "next") => scene.start(files, { seed });

/** A wrong order is a violation whatever the result of the command is. */
function watchedStop(): { stop: Run; wrongOrder(): string[] } {
  const found: string[] = [];
  return {
    wrongOrder: () => found.splice(0),
    stop: async (scene, files, seed = "next") => {
      let outcome: Outcome | undefined;
      const wrong = await watchOrder(scene, async () => {
        outcome = await scene.stop(files, { seed });
      });
      found.push(...wrong);
      return outcome as Outcome;
    },
  };
}

async function stopped(scene: Scene, wishes: typeof FIVE): Promise<VolatileFiles> {
  const files = await made(scene, wishes, CHANGING);
  const outcome = await scene.stop(files);
  if (outcome.exitCode !== 0) throw new Error(`the scenario cannot be prepared: ${said(outcome)}`);
  return files;
}

function openOperation(files: VolatileFiles): string[] {
  return files.read(`${FOLDER}/.talosmith/operation.json`) === undefined ? [] : ["the operation is still open"];
}

/** Checks that all machines are off, in the right order, and that nothing is left to do. */
function judgeOff(wrongOrder: () => string[]): Scenario<Scene>["judge"] {
  return async (scene) => async (files) => {
    const on = (await scene.root.vms()).filter(({ running }) => running).map(({ config }) => `${config.name} still runs`);
    const again = await scene.stop(files);
    const intents = again.events.filter((event) => event.type === "mutation.intent");
    const isDone = again.exitCode === 0 && intents.length === 0;
    return [...wrongOrder(), ...on, ...openOperation(files), ...(isDone ? [] : [`stop is not done: ${said(again)}`])];
  };
}

/** Checks that all machines run, and that the cluster matches the config. */
const judgeOn: Scenario<Scene>["judge"] = async (scene) => async (files, secrets) => {
  const off = (await scene.root.vms()).filter(({ running }) => !running).map(({ config }) => `${config.name} is off`);
  return [...off, ...openOperation(files), ...(await clusterViolations(scene, files, secrets))];
};

function stops(name: string, wishes: typeof FIVE): Scenario<Scene> {
  const { stop, wrongOrder } = watchedStop();
  return {
    ...{ name, takesAll: true, services, run: stop, judge: judgeOff(wrongOrder) },
    prepare: (scene) => made(scene, wishes, CHANGING),
  };
}

function starts(name: string, wishes: typeof FIVE): Scenario<Scene> {
  return { name, takesAll: true, services, run: start, judge: judgeOn, prepare: (scene) => stopped(scene, wishes) };
}

function stopsAfterAll(name: string): Scenario<Scene> {
  const { stop, wrongOrder } = watchedStop();
  return {
    ...{ name, takesAll: true, services, run: start, next: stop, judge: judgeOff(wrongOrder) },
    prepare: (scene) => stopped(scene, TWO),
  };
}

/** A whole cluster is switched off and on. */
export const POWER: Play<Scene> = {
  open: (seed) => Scene.open(seed, { cluster: true }),
  scenarios: [
    stops("a cluster of five is stopped", FIVE),
    starts("a cluster of two is started", TWO),
    { ...stops("a cluster of two is stopped", TWO), rare: true },
    { ...starts("a cluster of five is started", FIVE), rare: true },
    { ...stops("an interrupted stop, and start instead", TWO), next: start, judge: judgeOn, rare: true },
    { ...stopsAfterAll("an interrupted start, and stop instead"), rare: true },
  ],
};
