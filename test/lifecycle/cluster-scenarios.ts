import { ALL_STAGES, type Stages } from "../../src/workflows/stages.ts";
import { insiderWith } from "../support/cluster.ts";
import type { ConfigWishes } from "../support/config.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { clusterViolations, talosInside } from "./cluster-invariants.ts";
import { attachDisk, keepingDisks } from "./foreign-disks.ts";
import { said, text } from "./invariants.ts";
import type { Play, Scenario } from "./scenario.ts";
import { provided } from "./scenarios.ts";
import { FOLDER, Scene } from "./scene.ts";
import { keepingService } from "./service-watch.ts";
import { withWeb } from "./web.ts";

/** Wraps a play: foreign disks must survive, and nodes must be taken out of service properly. */
export const keeping = (play: Play<Scene>) => keepingService(keepingDisks(play));

/** Stages without verify, which changes nothing; the final check runs it anyway. */
export const CHANGING: Stages = { from: "preflight", until: "addons" };

/** Services whose calls fail: those of Proxmox do so in scenarios with machines only. */
export const services = ["talos", "kubernetes", "charts"];

/** Runs up for a folder until these stages. */
export async function made(scene: Scene, wishes: ConfigWishes, stages?: Stages): Promise<VolatileFiles> {
  const files = scene.folder(wishes);
  const outcome = await scene.up(files, stages && { stages });
  if (outcome.exitCode !== 0) throw new Error(`the scenario cannot be prepared: ${said(outcome)}`);
  return files;
}

async function changed(scene: Scene, before: ConfigWishes, after: ConfigWishes): Promise<VolatileFiles> {
  const files = await made(scene, before, CHANGING);
  scene.configure(files, after);
  return files;
}

/** A user's pods, which must move when their node restarts or is removed. */
export async function withPods(scene: Scene, files: VolatileFiles): Promise<void> {
  const person = insiderWith(text(files, `${FOLDER}/secrets.yaml`) ?? "", `${scene.at.block}.11`);
  await withWeb(person).finally(() => person.close());
}

const run: Scenario<Scene>["run"] = (scene, files, seed) => scene.up(files, { stages: CHANGING, seed });
const without = (...allowRemove: string[]): Scenario<Scene>["run"] => {
  return (scene, files, seed) => scene.up(files, { stages: CHANGING, seed, allowRemove });
};

/** Checks for one etcd, the same secrets, an empty plan, and exactly these machines. */
export function judge(names: string, more: (scene: Scene) => string[] = () => []): Scenario<Scene>["judge"] {
  return async (scene) => async (files, secrets) => {
    const found = [...(await clusterViolations(scene, files, secrets)), ...more(scene)];
    const vms = (await scene.root.vms()).filter((vm) => vm.config.template === undefined);
    const are = vms.map((vm) => vm.config.name).sort();
    if (are.join(" ") !== names) found.push(`machines are [${are.join(" ")}], expected [${names}]`);
    found.push(...vms.filter(({ config }) => config.ide0 !== undefined).map(({ config }) => `${config.name} keeps its ISO`));
    return found;
  };
}

export function members(scene: Scene, names: string): string[] {
  const all = Object.values(talosInside(scene).etcd) as { members: { name: string }[] }[];
  const are = all.flatMap((one) => one.members.map(({ name }) => name)).sort();
  return are.join(" ") === names ? [] : [`etcd has [${are.join(" ")}], expected [${names}]`];
}

/** A firewall is tried before it is kept, and a file requires each node to reboot, drained before and uncordoned afterwards. */
const CHANGE = ({ at }: Scene) => `firewall: { admin: [127.0.0.0/8, ${at.block}.0/24] }
patches: { all: [{ machine: { udev: { rules: ['KERNEL=="x"'] } } }] }
`;

/** From machines that wait for their config to a cluster. */
export const FRESH: Play<Scene> = keeping({
  open: (seed) => Scene.open(seed, { cluster: true }),
  scenarios: [
    {
      // Machines that install themselves have more moments to be interrupted at, and an ISO to detach.
      name: "a cluster, from an ISO",
      prepare: (scene) => made(scene, { workers: 1, method: "iso" }),
      run,
      judge: judge("cp-1 worker-1"),
      services,
    },
    {
      name: "a cluster with Cilium, on imported disks",
      prepare: (scene) => made(scene, { workers: 1, cilium: true }),
      run,
      judge: judge("cp-1 worker-1"),
      services,
    },
    {
      name: "a cluster with a graphics card",
      prepare: async (scene) => {
        await provided(scene);
        return made(scene, {
          workers: 1,
          firstWorker: "host: pve2, machine: q35, firmware: ovmf, pci: [{ mapping: card, gpu: nvidia }]",
        });
      },
      run,
      judge: judge("cp-1 worker-1"),
      services,
      rare: true,
    },
    {
      name: "three control planes behind one address",
      prepare: (scene) => made(scene, { controlPlanes: 3, workers: 0 }),
      run,
      judge: judge("cp-1 cp-2 cp-3", (scene) => members(scene, "cp-1 cp-2 cp-3")),
      services,
      rare: true,
    },
  ],
});

/** A running cluster whose config changes, or that is removed. */
export const CHANGES: Play<Scene> = keeping({
  open: (seed) => Scene.open(seed, { cluster: true }),
  scenarios: [
    {
      name: "a change of configs that is tried, staged and rebooted into",
      prepare: (scene) => changed(scene, { workers: 1 }, { workers: 1, extra: CHANGE(scene) }),
      run,
      judge: judge("cp-1 worker-1"),
      services,
    },
    {
      name: "a cluster with more memory: restarts",
      prepare: async (scene) => {
        const files = await changed(scene, { workers: 2 }, { workers: 2, memory: "6GiB" });
        await withPods(scene, files);
        return files;
      },
      run,
      judge: judge("cp-1 worker-1 worker-2"),
      services: [...services, "proxmox"],
      rare: true,
    },
    {
      name: "a worker is removed",
      prepare: async (scene) => {
        const files = await changed(scene, { workers: 2 }, { workers: 1 });
        await attachDisk(scene, "worker-1");
        await withPods(scene, files);
        return files;
      },
      run: without("worker-2"),
      leaving: ["worker-2"],
      judge: judge("cp-1 worker-1"),
      services: [...services, "proxmox"],
    },
    {
      name: "one of three control planes is removed",
      prepare: (scene) => changed(scene, { controlPlanes: 3, workers: 0 }, { controlPlanes: 2, workers: 0 }),
      run: without("cp-3"),
      leaving: ["cp-3"],
      judge: judge("cp-1 cp-2", (scene) => members(scene, "cp-1 cp-2")),
      services: [...services, "proxmox"],
      rare: true,
    },
    {
      name: "a cluster goes down",
      takesAll: true,
      prepare: (scene) => made(scene, { workers: 1 }, CHANGING),
      run: (scene, files) => scene.down(files),
      judge: async (scene) => async (files) => {
        const left = (await scene.root.vms()).map(({ config }) => `${config.name} is left`);
        const again = await scene.down(files);
        const intents = again.events.filter((event) => event.type === "mutation.intent");
        return [...left, ...(again.exitCode === 0 && intents.length === 0 ? [] : [`down is not done: ${said(again)}`])];
      },
      services,
      rare: true,
    },
  ],
});

/** A healthy cluster: nothing is changed, and everything is checked. */
export const JUDGED: Play<Scene> = keeping({
  open: (seed) => Scene.open(seed, { cluster: true }),
  scenarios: [
    {
      name: "a healthy cluster is checked again",
      prepare: (scene) => made(scene, { workers: 1 }, ALL_STAGES),
      run: (scene, files, seed) => scene.up(files, { stages: ALL_STAGES, seed }),
      judge: judge("cp-1 worker-1"),
      services,
    },
  ],
});
