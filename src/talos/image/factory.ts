import type { Write } from "../../engine/step.ts";
import { remoteError } from "../../lib/errors.ts";
import { HttpClient, type Meter } from "../../lib/http/client.ts";
import type { TalosImage } from "./image.ts";

const BUILD_LIMIT_MS = 20 * 60_000;
const ASK_LIMIT_MS = 5 * 60_000;

/**
 * Makes sure that the factory has the image ready. The first request for a new one is built on demand, which can outlast the
 * patience of whoever downloads it: so we ask, and wait, before anybody downloads.
 */
export async function factoryHasBuilt(c: Write, factory: string, image: TalosImage, meter: Meter): Promise<void> {
  const client = new HttpClient(c.world, factory, { trust: { by: "system" }, maxConnections: 1, idleMs: 4_000 }, meter);
  try {
    const { schematic, schematicYaml } = image;
    if (schematicYaml !== undefined) {
      await c.mutate({ key: `schematic ${schematic}`, what: "tell the image factory the schematic" }, async () => {
        const told = await client.request({ method: "POST", path: "/schematics", body: schematicYaml, signal: c.signal });
        if (told.status >= 300) throw refused(factory, "take the schematic", told.status, told.body);
        return told.status;
      });
    }
    c.say(`the image factory builds ${image.name} (minutes, the first time)`);
    await c.until({
      name: `the image factory has built ${image.name}`,
      timeoutMs: BUILD_LIMIT_MS,
      poll: async () => {
        const answer = await client.request({ method: "HEAD", path: image.path, signal: c.signal, timeoutMs: ASK_LIMIT_MS });
        // A redirect leads to where the built image is stored.
        if (answer.status < 400) return true;
        if (answer.status < 500 && answer.status !== 429)
          throw refused(factory, `build ${image.name}`, answer.status, answer.reason);
        return { reason: `the factory answered ${answer.status} ${answer.reason}` };
      },
    });
  } finally {
    client.close();
  }
}

function refused(factory: string, what: string, status: number, why: string) {
  return remoteError("FACTORY_REFUSED", {
    message: `Unable to have the image factory ${what}`,
    detail: `${factory} answered ${status}: ${why.trim().split("\n")[0]}`,
    hint: "check image.extensions (each must exist for this Talos version) and cluster.talos",
  });
}
