import type { Meter } from "@talosmith/lib/http/client.ts";
import type { Write } from "../../engine/step.ts";
import { FactoryClient } from "./factory-client.ts";
import type { NodeSchematic, TalosImage } from "./image.ts";

const BUILD_LIMIT_MS = 20 * 60_000;

export interface Factory {
  /** image.factory */
  address: string;
  meter: Meter;
}

/**
 * Waits until the factory has built the image. The first request starts the build, which can outlast the time limit of a download, so it is made
 * before any download. Resolves with the SHA-256 if the factory publishes it.
 */
export async function factoryHasBuilt(c: Write, { address, meter }: Factory, image: TalosImage): Promise<string | undefined> {
  const factory = new FactoryClient(c.world, address, meter);
  try {
    await tellSchematic(c, factory, image.schematic);
    c.say(`the image factory is building ${image.name} (minutes, the first time)`);
    await c.until({
      name: `the image factory has built ${image.name}`,
      timeoutMs: BUILD_LIMIT_MS,
      poll: async () => {
        const answer = await factory.head(image.path, c.signal);
        if (answer.status < 400) return true;
        if (answer.status < 500 && answer.status !== 429) throw factory.refused(`build ${image.name}`, answer);
        return { reason: `the factory answered ${answer.status} ${answer.reason}` };
      },
    });
    return await factory.checksum(image.path, c.signal);
  } finally {
    factory.close();
  }
}

/** Registers a schematic, unless the config only has its id. */
export async function tellSchematic(c: Write, factory: FactoryClient, { id, yaml }: NodeSchematic): Promise<void> {
  if (yaml === undefined) return;
  await c.mutate({ key: `schematic ${id}`, what: "register the schematic at the image factory" }, async () => {
    await factory.tell(yaml, id, c.signal);
    return id;
  });
}
