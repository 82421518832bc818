import type { Meter } from "@talosmith/lib/http/client.ts";
import { type Read, type Step, step } from "../engine/step.ts";
import { type Environment, environmentId } from "../environment/environment.ts";
import { type Factory, tellSchematic } from "../talos/image/factory.ts";
import { FactoryClient } from "../talos/image/factory-client.ts";
import { isPlainTalos, type NodeSchematic, nodeSchematic } from "../talos/image/image.ts";
import type { Inventory } from "./platform.ts";

/** What makes sure of the schematic of each node that is not ours yet, by the node's name. Every factory knows the empty one. */
export function schematicsAtFactory(env: Environment, meter: Meter, found: Inventory): Map<string, Step<string, string>> {
  const { nodes, image, cluster } = env.config;
  const factory = { address: image.factory, meter };
  const made = new Map<string, Step<string, string>>();
  const byNode = new Map<string, Step<string, string>>();
  for (const node of nodes) {
    if (isPlainTalos(node.image) || found.owned.some((one) => one.name === node.name)) continue;
    const schematic = nodeSchematic(cluster.talos, node.image);
    const step = made.get(schematic.id) ?? schematicAtFactory(factory, schematic);
    made.set(schematic.id, step);
    byNode.set(node.name, step);
  }
  return byNode;
}

/**
 * The factory knows what a new node's disk is to hold. Whoever fetches that, the node itself or its rescue system, would try in vain if it did not exist: so
 * it is looked at here, before anything is begun. Shared: once told, a schematic is there for everybody.
 */
function schematicAtFactory(factory: Factory, schematic: NodeSchematic): Step<string, string> {
  const { id: name } = schematic;
  const id = `image/schematic/${name.slice(0, 8)}`;
  const subject = `schematic ${name.slice(0, 8)} at ${new URL(factory.address).host}`;
  const withFactory = async <T>(c: Read, ask: (client: FactoryClient) => Promise<T>): Promise<T> => {
    const client = new FactoryClient(c.world, factory.address, factory.meter);
    try {
      return await ask(client);
    } finally {
      client.close();
    }
  };
  return step({
    id,
    stage: "image",
    title: subject,
    // The mark comes before the first thing that is done to the world.
    needs: [environmentId],
    observe: (c) =>
      withFactory(c, async (client) =>
        (await client.knows(name, c.signal)) ? { is: "present", actual: name, owner: "shared" } : { is: "absent" },
      ),
    plan: (seen) => ("is" in seen && seen.is === "present" ? [] : [{ id, step: id, verb: "create", subject, fields: [] }]),
    apply: (_, c) => withFactory(c, (client) => tellSchematic(c, client, schematic)),
    output: (actual) => actual,
  });
}
