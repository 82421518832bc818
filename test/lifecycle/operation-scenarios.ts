import { CHANGING, judge, keeping, made, members, services, withPods } from "./cluster-scenarios.ts";
import type { Play, Scenario } from "./scenario.ts";
import { FOLDER, Scene } from "./scene.ts";

/** Checks that the node has a new machine, the cluster is healthy, and no operation is open. */
function replaced(node: string, names: string, more: (scene: Scene) => string[] = () => []): Scenario<Scene>["judge"] {
  return async (scene) => {
    const before = await uuidOf(scene, node);
    const wrongIn = await judge(names, more)(scene);
    return async (files, secrets) => [
      ...((await uuidOf(scene, node)) === before ? [`${node} still has its old machine`] : []),
      ...(files.read(`${FOLDER}/.talosmith/operation.json`) === undefined ? [] : ["operation.json is left behind"]),
      ...(await wrongIn(files, secrets)),
    ];
  };
}

async function uuidOf({ root }: Scene, node: string): Promise<string | undefined> {
  return (await root.vms()).find(({ config }) => config.name === node)?.config.smbios1;
}

/** Operations: once begun they reach their end, however often they are interrupted. */
export const OPERATIONS: Play<Scene> = keeping({
  open: (seed) => Scene.open(seed, { cluster: true }),
  scenarios: [
    {
      name: "a worker's machine is replaced",
      prepare: async (scene) => {
        const files = await made(scene, { workers: 2 }, CHANGING);
        await withPods(scene, files);
        return files;
      },
      run: (scene, files, seed) => scene.replaceNode(files, "worker-2", { seed }),
      judge: replaced("worker-2", "cp-1 worker-1 worker-2"),
      services: [...services, "proxmox"],
    },
    {
      name: "the machine of one of three control planes is replaced",
      prepare: (scene) => made(scene, { controlPlanes: 3, workers: 0 }, CHANGING),
      run: (scene, files, seed) => scene.replaceNode(files, "cp-2", { seed }),
      judge: replaced("cp-2", "cp-1 cp-2 cp-3", (scene) => members(scene, "cp-1 cp-2 cp-3")),
      services: [...services, "proxmox"],
      rare: true,
    },
  ],
});
