import type { ConfigWishes } from "../support/config.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { attachDisk, keepingDisks } from "./foreign-disks.ts";
import { foreignIn, violations } from "./invariants.ts";
import type { Play, Scenario } from "./scenario.ts";
import { Scene } from "./scene.ts";
import { copyOf, foreignVms } from "./strangers.ts";

const ALL = ["cp-1", "worker-1", "worker-2"];

/** Machines alone: nothing boots on them, which is quicker. */
interface OfMachines extends Pick<Scenario<Scene>, "name" | "prepare" | "run" | "next" | "refused" | "destroyDisks"> {
  machines: readonly string[];
  /** See `Expected`. */
  kept?: readonly string[];
}

async function standing(scene: Scene, wishes: ConfigWishes = {}): Promise<VolatileFiles> {
  const files = scene.folder(wishes);
  const { exitCode, events } = await scene.up(files);
  if (exitCode !== 0)
    throw new Error(`the scenario cannot be prepared: ${JSON.stringify(events.filter((event) => event.type === "error"))}`);
  return files;
}

/** A worker with resources outside its VM: a kept disk, a pool, a passed-through card. */
const rich = (firmware: "seabios" | "ovmf") => ({
  workers: 1,
  firstWorker: `host: pve2, machine: q35, firmware: ${firmware}, pool: life, pci: [{ mapping: card }], disks: [{ size: 10GiB, volume: data, keep: true }]`,
});

/** Creates what the administrator must provide for it. */
export async function provided({ root }: Scene): Promise<void> {
  await root.call("POST", "/pools", { poolid: "life" });
  const devices = (await root.call("GET", "/nodes/pve2/hardware/pci")) as Record<string, string>[];
  const card = devices.find(({ vendor, class: kind }) => vendor === "0x10de" && kind?.startsWith("0x03"));
  const hex = (text: string | undefined) => text?.replace("0x", "") ?? "";
  const subsystem = `${hex(card?.subsystem_vendor)}:${hex(card?.subsystem_device)}`;
  const map = `node=pve2,path=${card?.id},id=${hex(card?.vendor)}:${hex(card?.device)},iommugroup=${card?.iommugroup},subsystem-id=${subsystem}`;
  await root.call("POST", "/cluster/mapping/pci", { id: "card", map });
  // The privileges that its token needs in addition.
  const more = "Mapping.Use,Mapping.Audit,Pool.Allocate";
  await root.call("PUT", "/access/roles/TalosmithDeploy", { privs: more, append: 1 });
}

const SCENARIOS: readonly OfMachines[] = [
  {
    name: "up, from nothing, disks imported",
    prepare: async (scene) => scene.folder(),
    run: (scene, files, seed) => scene.up(files, { seed }),
    machines: ALL,
  },
  {
    name: "up, from nothing, linked clones of a template",
    prepare: async (scene) => scene.folder({ method: "template", clone: "linked" }),
    run: (scene, files, seed) => scene.up(files, { seed }),
    machines: ALL,
  },
  {
    name: "up, more memory: restarts",
    prepare: async (scene) => {
      const files = await standing(scene);
      await attachDisk(scene, "worker-1");
      scene.configure(files, { memory: "6GiB" });
      return files;
    },
    run: (scene, files, seed) => scene.up(files, { seed }),
    machines: ALL,
  },
  {
    name: "up, one worker less, allowed by name",
    prepare: async (scene) => {
      const files = await standing(scene);
      await attachDisk(scene, "worker-1");
      scene.configure(files, { workers: 1 });
      return files;
    },
    run: (scene, files, seed) => scene.up(files, { seed, allowRemove: ["worker-2"] }),
    machines: ["cp-1", "worker-1"],
  },
  {
    name: "up, from nothing, the image uploaded from here",
    prepare: async (scene) => {
      // Without the privilege to let hosts download files.
      const role = (await scene.root.call("GET", "/access/roles/TalosmithDeploy")) as Record<string, number>;
      const privs = Object.keys(role).filter((one) => one !== "Sys.AccessNetwork");
      await scene.root.call("PUT", "/access/roles/TalosmithDeploy", { privs: privs.join(",") });
      return scene.folder({ workers: 0 });
    },
    run: (scene, files, seed) => scene.up(files, { seed }),
    machines: ["cp-1"],
    refused: /download-url$/,
  },
  {
    name: "up, a worker with a kept disk, a pool and a device is made anew",
    prepare: async (scene) => {
      await provided(scene);
      const files = await standing(scene, rich("seabios"));
      await attachDisk(scene, "cp-1");
      await attachDisk(scene, "worker-1");
      // Other firmware requires another machine.
      scene.configure(files, rich("ovmf"));
      return files;
    },
    run: (scene, files, seed) => scene.up(files, { seed, allowRemove: ["worker-1"], destroyDisks: ["worker-1/scsi5"] }),
    machines: ["cp-1", "worker-1"],
    kept: ["worker-1_data"],
    destroyDisks: ["worker-1/scsi5"],
  },
  {
    name: "up, cut off, then down",
    prepare: async (scene) => scene.folder(),
    run: (scene, files, seed) => scene.up(files, { seed }),
    next: (scene, files) => scene.down(files),
    machines: [],
  },
  {
    name: "down, beside a copy of a machine made in the UI",
    prepare: async (scene) => {
      const files = await standing(scene);
      await copyOf(scene, "worker-1");
      await attachDisk(scene, "worker-1");
      return files;
    },
    run: (scene, files) => scene.down(files, { destroyDisks: ["worker-1/scsi5"] }),
    machines: [],
    destroyDisks: ["worker-1/scsi5"],
  },
];

export const MACHINES: Play<Scene> = keepingDisks({
  open: async (seed) => {
    const scene = await Scene.open(seed);
    await foreignVms(scene);
    return scene;
  },
  scenarios: SCENARIOS.map(({ machines, kept = [], ...scenario }) => ({
    ...scenario,
    services: ["proxmox", "factory"],
    judge: async (scene) => {
      const foreign = await foreignIn(scene);
      return (files, secrets) => violations(scene, files, { machines, kept, foreign, secrets });
    },
  })),
});
