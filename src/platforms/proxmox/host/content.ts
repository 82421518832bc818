import { userError } from "@talosmith/lib/errors.ts";
import { type Step, step } from "../../../engine/step.ts";
import { object, text, words } from "../client/loose.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { command } from "./quote.ts";
import { printedJson, type Root } from "./root.ts";
import { pvesh } from "./survey.ts";

/** Storages without files can hold neither images nor ISOs. */
const BLOCK = new Set(["lvm", "lvmthin", "zfspool", "rbd", "iscsi", "iscsidirect", "zfs"]);

/** Allows images on their storage, in addition to its present content types. */
export function content(root: Root, env: ProxmoxEnvironment): Step<string[], void> {
  const { storage } = env.config.proxmox;
  const wanted = env.config.image.method === "iso" ? "iso" : "import";
  const subject = `storage ${storage.images}`;
  const id = `host/storage/${storage.images}`;
  const line = (held: readonly string[]) => command("pvesm", "set", storage.images, "--content", [...held, wanted].join(","));
  const look = async (): Promise<string[]> => {
    const printed = await root.entry.find(`read the ${subject}`, pvesh(`/storage/${storage.images}`), /does not exist/);
    const at = env.where(["proxmox", "storage", "images"]);
    if (printed === undefined)
      throw userError("NO_SUCH_STORAGE", {
        message: `There is no storage ${storage.images} in Proxmox`,
        hint: "create it there, or correct proxmox.storage.images",
        ...(at && { where: at }),
      });
    const found = object(printedJson(printed, subject), subject);
    if (BLOCK.has(text(found.type) ?? ""))
      throw userError("STORAGE_CONTENT", {
        message: `The storage ${storage.images} cannot hold images: a storage of type ${text(found.type)} holds no files`,
        hint: "set proxmox.storage.images to a storage that holds files; every host has one named local",
        ...(at && { where: at }),
      });
    return words(found.content).sort();
  };
  return step<string[], void>({
    id,
    stage: "preflight",
    title: subject,
    observe: async () => ({ is: "present", actual: await look(), owner: "shared" }),
    plan: (seen) => {
      const held = "later" in seen || seen.is !== "present" ? [] : seen.actual;
      if (held.includes(wanted)) return [];
      const fields = [
        { path: "content", from: held.join(","), to: [...held, wanted].join(",") },
        { path: "runs", from: null, to: line(held) },
      ];
      return [{ id, step: id, verb: "update", subject, fields }];
    },
    apply: async (_, c) => {
      const change = line(await look());
      await c.mutate({ key: subject, what: change }, async () => {
        await root.entry.run(`allow images on ${storage.images}`, change);
        return undefined;
      });
    },
    output: () => {},
  });
}
