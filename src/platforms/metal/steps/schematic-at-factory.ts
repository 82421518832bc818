import { type Read, type Step, step } from "../../../engine/step.ts";
import { type Environment, environmentId } from "../../../environment/environment.ts";
import { remoteError, type Where } from "../../../lib/errors.ts";
import { type Factory, tellSchematic, unknownExtension } from "../../../talos/image/factory.ts";
import { FactoryClient } from "../../../talos/image/factory-client.ts";
import type { NodeSchematic } from "../../../talos/image/image.ts";

/**
 * The factory knows what the installer of a new node is to put on its disk. The node fetches that by itself, and would try for ever if it did not exist: so
 * it is looked at here, before anything is begun. Shared: once told, a schematic is there for everybody.
 */
export function schematicAtFactory(
  env: Environment,
  factory: Factory,
  schematic: NodeSchematic,
  where: Where | undefined,
): Step<string, string> {
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
      withFactory(c, async (client) => {
        const wrong = await unknownExtension(c.signal, client, schematic, where);
        if (wrong) return { is: "unreadable", why: wrong };
        if (await client.knows(name, c.signal)) return { is: "present", actual: name, owner: "shared" };
        return schematic.yaml === undefined ? { is: "unreadable", why: neverTold(env, factory, name) } : { is: "absent" };
      }),
    plan: (seen) => ("is" in seen && seen.is === "present" ? [] : [{ id, step: id, verb: "create", subject, fields: [] }]),
    apply: (_, c) => withFactory(c, (client) => tellSchematic(c, client, schematic)),
    output: (actual) => actual,
  });
}

function neverTold(env: Environment, { address }: Factory, schematic: string) {
  const where = env.where(["image", "schematic"]);
  return remoteError("NO_SUCH_SCHEMATIC", {
    message: `The image factory at ${address} knows no schematic ${schematic}`,
    hint: "check image.schematic and image.factory; or name extensions and kernelArgs instead, and the factory is told",
    ...(where && { where }),
  });
}
