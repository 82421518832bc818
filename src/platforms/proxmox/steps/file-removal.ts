import { remoteError } from "@talosmith/lib/errors.ts";
import { formatMiB } from "@talosmith/lib/units.ts";
import { type Finding, type Read, type Step, step } from "../../../engine/step.ts";
import type { Stored } from "../../platform.ts";
import { refusalOf } from "../client/client.ts";
import { type FileContent, removeVolume, type Volume, volumes } from "../client/storage.ts";
import { runningTasks, taskDone } from "../client/tasks.ts";
import type { Site } from "../site.ts";

const TASK_LIMIT_MS = 10 * 60_000;

/** Removes an image or ISO of talosmith that is no longer needed. */
export function fileRemoval(site: Site, stored: Stored, host: string, volume: string): Step<Volume, void> {
  const { client, records } = site;
  const [storage = "", path = ""] = volume.split(":");
  const content = path.split("/")[0] as FileContent;
  const id = `removal/${host}/${volume}`;
  const subject = `${stored.kind} ${stored.name} on ${stored.where}`;
  return step({
    id,
    stage: "image",
    title: `removal of ${subject}`,
    observe: async (c) => {
      const there = (await volumes(client, host, storage, content, c.signal)).find((one) => one.id === volume);
      return there ? { is: "present", actual: there, owner: "shared" } : { is: "absent" };
    },
    plan: (seen) => {
      if (!("is" in seen) || seen.is !== "present") return [];
      return [
        { id, step: id, verb: "delete", subject, fields: [{ path: "size", from: inMiB(seen.actual.sizeBytes), to: null }] },
      ];
    },
    guard: (_, c) => notInUse(site, c, host),
    apply: async (_, c) => {
      const what = `remove ${subject}`;
      const upid = await c
        .mutate({ key: `${host} ${volume}`, what }, () => removeVolume(client, host, volume, c))
        .catch((error: unknown) => {
          throw refusalOf(error)?.status === 403 ? mayNot(error, what, storage, client.identity) : error;
        });
      await taskDone(client, c, upid, what, TASK_LIMIT_MS);
      records.forget(c.world.files, host, volume);
    },
    output: () => undefined,
  });
}

/** The error for a missing privilege. An entry at the storage replaces inherited ones, so the suggested role has all privileges for images and disks. */
function mayNot(error: unknown, what: string, storage: string, identity: string) {
  const [user = ""] = identity.split("!");
  const subject = [...(user === "root@pam" ? [] : [`--users ${user}`]), ...(identity === user ? [] : [`--tokens '${identity}'`])];
  return remoteError("PROXMOX_PERMISSION", {
    message: `Unable to ${what}`,
    detail: `${identity} lacks Datastore.Allocate on /storage/${storage}, which is needed only to remove files`,
    hint: `as root on a Proxmox host:\n  pveum acl modify /storage/${storage} ${subject.join(" ")} --roles PVEDatastoreAdmin\nor remove it in the Proxmox UI`,
    cause: error,
  });
}

export function inMiB(bytes: number): string {
  return formatMiB(Math.ceil(bytes / 1024 ** 2));
}

/** Warns when a machine or template is being created on the host, which may read this file, also for another environment. */
async function notInUse({ client }: Site, c: Read, host: string): Promise<Finding[]> {
  const making = (await runningTasks(client, host, c.signal)).find(({ type }) => type === "qmcreate");
  if (!making) return [];
  return [
    {
      level: "fail",
      code: "IMAGE_IN_USE",
      message: `VM ${making.id} is being made on ${host}, perhaps from this image`,
      hint: "run the command again when it is done",
    },
  ];
}
