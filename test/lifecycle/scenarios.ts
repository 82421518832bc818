import type { VolatileFiles } from "../support/volatile-files.ts";
import type { Outcome, Scene } from "./scene.ts";
import { copyOf } from "./strangers.ts";

const ALL = ["cp-1", "worker-1", "worker-2"];

/** A command on a world in a certain state, and what must be there in the end. */
export interface Scenario {
  name: string;
  /** Brings a fresh lab and a folder to where the command starts. */
  prepare(scene: Scene): Promise<VolatileFiles>;
  run(scene: Scene, files: VolatileFiles, seed: string): Promise<Outcome>;
  /** The command that follows a crash, when it is not the same one. */
  next?(scene: Scene, files: VolatileFiles): Promise<Outcome>;
  machines: readonly string[];
}

async function standing(scene: Scene, method: "import" | "template" = "import"): Promise<VolatileFiles> {
  const files = scene.folder({ method });
  const { exitCode, events } = await scene.up(files);
  if (exitCode !== 0)
    throw new Error(`the scenario cannot be prepared: ${JSON.stringify(events.filter((event) => event.type === "error"))}`);
  return files;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "up, from nothing, disks imported",
    prepare: async (scene) => scene.folder(),
    run: (scene, files, seed) => scene.up(files, { seed }),
    machines: ALL,
  },
  {
    name: "up, from nothing, clones of a template",
    prepare: async (scene) => scene.folder({ method: "template" }),
    run: (scene, files, seed) => scene.up(files, { seed }),
    machines: ALL,
  },
  {
    name: "up, more memory: restarts",
    prepare: async (scene) => {
      const files = await standing(scene);
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
      scene.configure(files, { workers: 1 });
      return files;
    },
    run: (scene, files, seed) => scene.up(files, { seed, allowRemove: ["worker-2"] }),
    machines: ["cp-1", "worker-1"],
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
      return files;
    },
    run: (scene, files) => scene.down(files),
    machines: [],
  },
];
