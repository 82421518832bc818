import { writeDurably } from "@talosmith/lib/durable.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { NodeConfig } from "../config/config.ts";
import type { Session } from "../engine/context.ts";
import type { StepResult } from "../engine/run.ts";
import type { Environment } from "../environment/environment.ts";
import { PRIVATE_FILE, paths } from "../environment/folder.ts";
import { type Outputs, outputsOf, printOutputs } from "../environment/outputs.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { Inventory, MachineFacts, Platform } from "../platforms/platform.ts";
import { readAgeRecipient, wantsAgeKey } from "../steps/generate/age-key.ts";
import { schematicOf } from "../talos/image/image.ts";
import { installerOf } from "../talos/image/installer.ts";
import { openAccess } from "./access.ts";
import { outputsResult } from "./outputs-result.ts";
import { takeInventory } from "./prepare.ts";

/** `talosmith outputs`: prints the output contract from the current state. */
export async function showOutputs(session: Session & { redactor: Redactor }, folder: string): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor);
  const access = await openAccess(session, env);
  try {
    const ids = machineIds(await takeInventory(session, env, access));
    const outputs = outputsFrom(session.world, env, ids, session.redactor);
    session.bus.emit({ type: "result", result: outputsResult(outputs) });
    return 0;
  } finally {
    access.close();
  }
}

/** Writes outputs.json, with the values of `talosmith outputs`. It is not part of a plan: every `up` writes it. */
export function writeOutputs(world: World, env: Environment, ids: MachineIds, redactor: Redactor): void {
  const { files } = world;
  const path = paths.outputs(env.folder);
  const text = printOutputs(outputsFrom(world, env, ids, redactor));
  const before = files.read(path);
  if (before === undefined || Buffer.from(before).toString("utf8") !== text) writeDurably(files, path, text, PRIVATE_FILE);
}

/** The platform's ids of the machines, by node name. */
export type MachineIds = ReadonlyMap<string, number>;

export function machineIds({ owned }: Inventory): MachineIds {
  return new Map(owned.flatMap(({ name, id }) => (id === undefined ? [] : [[name, id]])));
}

/** The ids after the changes: each machine's step has read its machine again, so nothing is read here. `before`: those of the inventory. */
export function idsAfter(
  before: MachineIds,
  { config }: Environment,
  platform: Platform,
  results: readonly StepResult[],
): MachineIds {
  const outputs = new Map(results.map(({ id, output }) => [id, output]));
  const facts = (name: string) => outputs.get(platform.machine(name).step) as MachineFacts | undefined;
  const seen = config.nodes.flatMap(({ name }) => {
    const id = facts(name)?.id;
    return id === undefined ? [] : [[name, id] as const];
  });
  return new Map([...before, ...seen]);
}

function outputsFrom(world: World, env: Environment, ids: MachineIds, redactor: Redactor): Outputs {
  const imageOf = (node: NodeConfig) => ({ schematic: schematicOf(node.image), installer: installerOf(env.config, node) });
  return outputsOf(env, ids, imageOf, wantsAgeKey(env) ? readAgeRecipient(world, env, redactor) : undefined);
}
