import { join } from "node:path";
import { writeAllDurably } from "@talosmith/lib/durable.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { type Field, type Ref, type Step, step } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { PRIVATE_FILE } from "../../environment/folder.ts";
import type { ConfigFiles, WantedConfigs } from "./wanted-configs.ts";

/** Outputs nothing: the content is a function of config and secrets, so no step has to wait for the files. */
export const machineConfigs: Ref<void> = { step: "generate/machine-configs" };

interface Files {
  differing: Field[];
}

/** controlplane.yaml, worker.yaml and a patch for each node. They derive from config.yaml and secrets.yaml alone, so manual changes are overwritten. */
export function machineConfigFiles(env: Environment, wanted: WantedConfigs): Step<Files, void> {
  const id = machineConfigs.step;
  const subject = "machine configs";
  return step({
    id,
    stage: "generate",
    title: subject,
    needs: [environmentId],
    observe: async (c) => {
      const configs = wanted.files(c);
      const differing = differences(c.world, env, configs);
      const written = [...configs.keys()].some((file) => c.world.files.stat(join(env.folder, file)));
      return written ? { is: "present", actual: { differing }, owner: "us" } : { is: "absent" };
    },
    plan: (seen) => {
      const isThere = "is" in seen && seen.is === "present";
      if (!isThere)
        return [{ id, step: id, verb: "create", subject, fields: [{ path: "nodes", from: null, to: env.config.nodes.length }] }];
      const { differing } = seen.actual;
      return differing.length === 0 ? [] : [{ id, step: id, verb: "update", subject, fields: differing }];
    },
    apply: async (_, c) => {
      const configs = wanted.files(c);
      const { files } = c.world;
      await c.mutate({ key: subject, what: `write ${subject}` }, async () => {
        const texts = new Map([...configs].map(([file, { text }]) => [file, text]));
        writeAllDurably(files, env.folder, texts, PRIVATE_FILE);
        for (const file of leftOver(c.world, env.folder, configs)) files.remove(join(env.folder, file));
        files.syncFolder(env.folder);
        return configs.size;
      });
    },
    output: () => undefined,
  });
}

/** One field per file: the content is shown at the nodes, where it takes effect. */
function differences(world: World, env: Environment, configs: ConfigFiles): Field[] {
  const changed = [...configs].flatMap(([file, { text }]): Field[] => {
    const content = world.files.read(join(env.folder, file));
    if (content === undefined) return [{ path: file, from: null, to: "written" }];
    return Buffer.from(content).toString("utf8") === text ? [] : [{ path: file, from: "outdated", to: "rewritten" }];
  });
  return [
    ...changed,
    ...leftOver(world, env.folder, configs).map((file) => ({ path: file, from: "belongs to a removed node", to: null })),
  ];
}

/** Patches of removed nodes. A file of such a name that does not set this hostname is the user's own. */
export function leftOver(world: World, folder: string, names: { has(file: string): boolean }): string[] {
  return (world.files.list(folder) ?? []).filter((file) => {
    const [, node] = /^patch-([a-z0-9.-]+)\.yaml$/.exec(file) ?? [];
    if (node === undefined || names.has(file)) return false;
    const content = Buffer.from(world.files.read(join(folder, file)) ?? []).toString("utf8");
    return content.split("\n").some((line) => line.trim() === `hostname: ${node}`);
  });
}
