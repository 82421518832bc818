import { TalosmithError } from "@talosmith/lib/errors.ts";
import { type Finding, type Step, step, type Write } from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import type { TalosImage } from "../../../talos/image/image.ts";
import { refusalOf } from "../client/client.ts";
import { downloadUrl, type FileContent, uploadFile, type Volume, volumes } from "../client/storage.ts";
import { runningTasks, taskDone } from "../client/tasks.ts";
import type { Site } from "../site.ts";

const ARRIVAL_LIMIT_MS = 30 * 60_000;

export interface StoredImage extends Volume {
  /** The expected size, when known. */
  wholeBytes: number;
}

/**
 * A Talos image on a host's storage, named by its content: downloaded by Proxmox itself, or uploaded from this computer when that is impossible.
 * Shared with other environments.
 */
export function imageOnHost(site: Site, host: string, image: TalosImage): Step<StoredImage, string> {
  const { client, env, records } = site;
  const storage = env.config.proxmox.storage.images;
  const content: FileContent = image.medium === "iso" ? "iso" : "import";
  const volume = `${storage}:${content}/${image.file}`;
  const noun = image.medium === "iso" ? "ISO" : "image";
  const subject = `${noun} ${image.name} on ${host}:${storage}`;
  const id = `image/${host}/${image.medium === "iso" ? image.file : image.name}`;
  const place = { host, storage, content, volume };
  let uploaded: string | undefined;
  return step({
    id,
    stage: "image",
    title: `${noun} on ${host}:${storage}, ${image.name}`,
    // The environment's id must exist before the first mutation.
    needs: [environmentId],
    lanes: () => [{ key: `storage ${host}:${storage}`, limit: 1 }],
    observe: async (c) => {
      let found: StoredImage | undefined;
      // Another run may be transferring it right now. A download is listed when it is complete, an upload from its first byte on.
      await c.until({
        name: `no other transfer of ${image.file} is running`,
        timeoutMs: ARRIVAL_LIMIT_MS,
        poll: async () => {
          const tasks = await runningTasks(client, host, c.signal);
          const listed = (await volumes(client, host, storage, content, c.signal)).find((one) => one.id === volume);
          const wholeBytes = records.of(c.world.files, host, volume)?.bytes;
          found = listed && { ...listed, wholeBytes: wholeBytes ?? listed.sizeBytes };
          if (!found && tasks.some(({ type, id }) => type === "download" && id === image.file))
            return { reason: `a task on ${host} is downloading it` };
          const known = found && wholeBytes !== undefined && !isCutOff(found);
          if (!known && tasks.some(({ type }) => type === "imgcopy"))
            return { reason: `an upload to ${host} is running, which may be this file` };
          return true;
        },
      });
      return found ? { is: "present", actual: found, owner: "shared" } : { is: "absent" };
    },
    plan: (seen) => {
      if (!("is" in seen) || seen.is !== "present") return [{ id, step: id, verb: "create", subject, fields: [] }];
      if (!isCutOff(seen.actual)) return [];
      const { sizeBytes, wholeBytes } = seen.actual;
      return [{ id, step: id, verb: "update", subject, fields: [{ path: "bytes", from: sizeBytes, to: wholeBytes }] }];
    },
    notes: () => (uploaded === undefined ? [] : [wasUploaded(image, host, uploaded)]),
    apply: async (changes, c) => {
      c.say(`asking the image factory for ${image.name}`);
      const sha256 = await site.supply.built(c, image);
      // An incomplete file blocks a download; an upload replaces it.
      const why =
        changes[0]?.verb === "create" ? await downloaded(site, c, image, place, sha256) : "the file there is incomplete";
      if (why === undefined) return;
      uploaded = why;
      await upload(site, c, image, place, sha256);
    },
    output: (actual) => actual.id,
  });
}

const isCutOff = ({ sizeBytes, wholeBytes }: StoredImage) => sizeBytes < wholeBytes;

interface Place {
  host: string;
  storage: string;
  content: FileContent;
  volume: string;
}

/** Lets the host download the image; resolves with the reason when it cannot. */
async function downloaded(
  site: Site,
  c: Write,
  image: TalosImage,
  { host, storage, content, volume }: Place,
  sha256: string | undefined,
): Promise<string | undefined> {
  const file = { content, filename: image.file, url: site.supply.url(image), ...(sha256 !== undefined && { sha256 }) };
  try {
    const upid = await c.mutate({ key: `${host} ${volume}`, what: `download ${image.file}` }, () =>
      downloadUrl(site.client, host, storage, file, c),
    );
    await taskDone(site.client, c, upid, `download ${image.file} to ${host}:${storage}`, ARRIVAL_LIMIT_MS);
    if (sha256 === undefined) site.records.forget(c.world.files, host, volume);
    else site.records.keep(c.world.files, host, volume, { by: "download", sha256 });
    return undefined;
  } catch (error) {
    // Another process, or an earlier run, stored it meanwhile; the next look finds it.
    if (taskEnd(error).includes("refusing to override existing file")) return undefined;
    const why = whyNotFetched(error, host);
    if (why === undefined) throw error;
    return why;
  }
}

function taskEnd(error: unknown): string {
  const cause = error instanceof TalosmithError ? error.cause : undefined;
  return typeof cause === "string" ? cause : "";
}

/** The reason why the host may not or cannot reach the factory, which this computer just reached; undefined for other failures. */
function whyNotFetched(error: unknown, host: string): string | undefined {
  const refusal = refusalOf(error);
  // Without the privilege to store files an upload would fail as well.
  if (refusal?.status === 403)
    return refusal.reason.includes("/storage/") ? undefined : `this login lacks Sys.AccessNetwork on /nodes/${host}`;
  const end = taskEnd(error);
  return end.includes("download failed") && !/no space left|exit code 3\b/i.test(end) ? end.split("\n")[0] : undefined;
}

async function upload(site: Site, c: Write, image: TalosImage, place: Place, sha256: string | undefined): Promise<void> {
  const { host, storage, content, volume } = place;
  const { files } = c.world;
  c.say(`${host} cannot fetch it: fetching it here`);
  await site.supply.here(c, image, sha256, async (file) => {
    const what = `upload ${image.file}`;
    c.say(`uploading it to ${host}`);
    site.records.keep(files, host, volume, { by: "upload", sha256: file.sha256, bytes: file.size });
    const sent = { name: image.file, size: file.size, sha256: file.sha256, open: () => files.stream(file.path) };
    const upid = await c.mutate({ key: `${host} ${volume}`, what, hint: { sha256: file.sha256 } }, () =>
      uploadFile(site.client, host, storage, content, sent, c.signal),
    );
    await taskDone(site.client, c, upid, `${what} to ${host}:${storage}`, ARRIVAL_LIMIT_MS);
  });
}

function wasUploaded({ file }: TalosImage, host: string, why: string): Finding {
  return {
    level: "warn",
    code: "IMAGE_UPLOADED",
    message: `${file} was uploaded to ${host} from this computer, because the host did not download it: ${why}`,
    hint: `no action is needed. To let ${host} download images itself, give it a route to image.factory, and the login Sys.AccessNetwork on /nodes`,
  };
}
