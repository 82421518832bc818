import { type TalosmithError, userError, type Where } from "@talosmith/lib/errors.ts";
import type { HttpAnswer, Meter } from "@talosmith/lib/http/client.ts";
import { EXTENSION_ALIASES } from "../../catalog/extension-aliases.ts";
import { nearest } from "../../config/nearest.ts";
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
 * before any download. `where`: the setting of the extensions. Resolves with the SHA-256 if the factory publishes it.
 */
export async function factoryHasBuilt(
  c: Write,
  { address, meter }: Factory,
  image: TalosImage,
  where: Where | undefined,
): Promise<string | undefined> {
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
        if (answer.status < 500 && answer.status !== 429) throw await unbuildable(c.signal, factory, image, answer, where);
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

/** The factory reports an unknown extension only when an image is built (docs/facts/talos.md#images), and without a message: so the list is checked first. */
async function unbuildable(
  signal: AbortSignal,
  factory: FactoryClient,
  { name, schematic }: TalosImage,
  answer: HttpAnswer,
  where: Where | undefined,
): Promise<TalosmithError> {
  const unknown = answer.status === 400 ? await unknownExtension(signal, factory, schematic, where) : undefined;
  return unknown ?? factory.refused(`build ${name}`, answer);
}

/** The error for extensions that the factory's list does not contain. */
export async function unknownExtension(
  signal: AbortSignal,
  factory: FactoryClient,
  { extensions, talos }: NodeSchematic,
  where: Where | undefined,
): Promise<TalosmithError | undefined> {
  if (extensions.length === 0) return undefined;
  const there = await factory.extensions(talos, signal);
  const missing = there && extensions.filter((name) => !there.has(name) && !there.has(EXTENSION_ALIASES[name] ?? name));
  const [first] = missing ?? [];
  if (!there || !missing || first === undefined) return undefined;
  const meant = nearest(first, [...there]);
  return userError("NO_SUCH_EXTENSION", {
    message: `The image factory has no extension ${missing.join(", ")} for Talos ${talos}`,
    hint: `${meant === undefined ? "" : `did you mean ${meant}? `}correct the extensions in the config, or choose another cluster.talos`,
    ...(where && { where }),
  });
}
