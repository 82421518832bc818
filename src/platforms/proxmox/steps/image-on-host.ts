import { type Step, step, type Write } from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import type { Where } from "../../../lib/errors.ts";
import { factoryHasBuilt } from "../../../talos/image/factory.ts";
import type { TalosImage } from "../../../talos/image/image.ts";
import { refusalOf } from "../client/client.ts";
import { downloadUrl, importImages, type Volume } from "../client/storage.ts";
import { runningTasks, taskDone } from "../client/tasks.ts";
import type { Site } from "../site.ts";

const DOWNLOAD_LIMIT_MS = 30 * 60_000;

/**
 * A Talos image on a host's storage, named by its content, downloaded by Proxmox itself. Shared: other environments may use it too.
 * `where`: what it is made of, in the config.
 */
export function imageOnHost(site: Site, host: string, image: TalosImage, where: Where | undefined): Step<Volume, string> {
  const { client, env } = site;
  const storage = env.config.proxmox.storage.images;
  const file = `${image.name}.qcow2`;
  const volume = `${storage}:import/${file}`;
  const subject = `image ${image.name} on ${host}:${storage}`;
  const id = `image/${host}/${image.name}`;
  return step({
    id,
    stage: "image",
    title: `image on ${host}:${storage}, ${image.name}`,
    // The mark comes before the first thing that is done to the world.
    needs: [environmentId],
    lanes: () => [{ key: `storage ${host}:${storage}`, limit: 1 }],
    observe: async (c) => {
      const look = async () => (await importImages(client, host, storage, c.signal)).find((one) => one.id === volume);
      let found = await look();
      if (!found) {
        // An earlier run, or another one, may be fetching it right now: it is listed only when it is whole.
        await c.until({
          name: `${file} is not being downloaded by somebody else`,
          timeoutMs: DOWNLOAD_LIMIT_MS,
          poll: async () => {
            const tasks = await runningTasks(client, host, c.signal);
            found = await look();
            const busy = !found && tasks.some((task) => task.type === "download" && task.id === file);
            return busy ? { reason: `a task on ${host} is downloading it` } : true;
          },
        });
      }
      return found ? { is: "present", actual: found, owner: "shared" } : { is: "absent" };
    },
    plan: (seen) => ("is" in seen && seen.is === "present" ? [] : [{ id, step: id, verb: "create", subject, fields: [] }]),
    apply: async (_, c) => {
      c.say(`asking the image factory for ${image.name}`);
      await builtOnce(site, c, image, where);
      try {
        const upid = await c.mutate({ key: `${host} ${volume}`, what: `download ${file}` }, () =>
          downloadUrl(client, host, storage, `${env.config.image.factory}${image.path}`, file),
        );
        await taskDone(client, c, upid, `download ${file} to ${host}:${storage}`, DOWNLOAD_LIMIT_MS);
      } catch (error) {
        // Somebody else, or an earlier run of ours, brought it meanwhile: then it is there to be seen.
        if (!isThereAlready(error)) throw error;
      }
    },
    output: (actual) => actual.id,
  });
}

/** Every host fetches the same image, so whoever comes first asks for all of them; after a failure the next one asks again. */
function builtOnce(site: Site, c: Write, image: TalosImage, where: Where | undefined): Promise<void> {
  const { built, meter } = site;
  const before = built.get(image.name);
  if (before) return before;
  const factory = { address: site.env.config.image.factory, meter };
  const building = factoryHasBuilt(c, factory, image, where).catch((error: unknown) => {
    built.delete(image.name);
    throw error;
  });
  built.set(image.name, building);
  return building;
}

function isThereAlready(error: unknown): boolean {
  const said = refusalOf(error)?.reason ?? (error as { cause?: unknown }).cause;
  return typeof said === "string" && said.includes("refusing to override existing file");
}
