import { remoteError } from "@talosmith/lib/errors.ts";
import { known, type Read, type Ref, type Step, step } from "../../../engine/step.ts";
import type { TalosImage } from "../../../talos/image/image.ts";
import { refusalOf } from "../client/client.ts";
import { convertToTemplate, createVm } from "../client/qemu.ts";
import { storages } from "../client/storage.ts";
import { taskDone } from "../client/tasks.ts";
import { TAG } from "../mark.ts";
import { printProperties, readProperties } from "../property-string.ts";
import type { FoundVm } from "../settled-vm.ts";
import type { Site } from "../site.ts";
import { printTemplateMark, templatePlace } from "../template.ts";

const MINUTE = 60_000;

export interface SeenTemplate {
  vm: FoundVm;
  /** Proxmox sets `template` at the start of a conversion and converts the disk afterwards: an interruption in between leaves a half-converted template. */
  is: "machine" | "half" | "template";
}

const DISK = "scsi0";
/** Storage types without base volumes, where a template keeps its plain disk. */
const WITHOUT_BASES = ["lvm", "iscsi", "iscsidirect"];

/** A Talos image as a template on a host and storage, never booted. Shared, like the image it is made from. */
export function templateOnHost(
  site: Site,
  host: string,
  storage: string,
  { name }: TalosImage,
  image: Ref<string>,
): Step<SeenTemplate, number> {
  const { client } = site;
  const id = `template/${host}/${storage}/${name}`;
  const subject = `template ${name} on ${host}:${storage}`;
  return step({
    id,
    stage: "image",
    title: `template on ${host}:${storage}, ${name}`,
    needs: [image],
    lanes: () => [{ key: `storage ${host}:${storage}`, limit: 1 }],
    observe: async (c) => {
      const { found } = await templatePlace(site, c, host, name, storage);
      return found
        ? { is: "present", actual: { vm: found, is: await howFar(site, c, found, storage) }, owner: "shared" }
        : { is: "absent" };
    },
    plan: (seen) => {
      if (!("is" in seen) || seen.is !== "present") return [{ id, step: id, verb: "create", subject, fields: [] }];
      const { is } = seen.actual;
      return is === "template"
        ? []
        : [{ id, step: id, verb: "update", subject, fields: [{ path: "is", from: is, to: "template" }] }];
    },
    apply: async (changes, c) => {
      const { vmid, found } = await templatePlace(site, c, host, name, storage);
      const key = `vm ${vmid}`;
      if (changes[0]?.verb === "create") {
        const what = `make ${subject}`;
        c.say("writing the image to its disk");
        const upid = await c
          .mutate({ key, what }, () =>
            createVm(client, host, {
              vmid,
              name: name.replaceAll(".", "-"),
              description: printTemplateMark({ template: name, storage, vm: vmid }),
              tags: TAG,
              ostype: "l26",
              scsihw: "virtio-scsi-pci",
              boot: `order=${DISK}`,
              // A machine with another controller moves its disk to the other bus after the clone.
              [DISK]: printProperties({ file: `${storage}:0`, "import-from": known(c, image) }, "file"),
            }),
          )
          .catch((error: unknown) => {
            if (!/already exists/.test(refusalOf(error)?.reason ?? "")) throw error;
            throw remoteError("ID_TAKEN", {
              message: `another process is creating ${subject}`,
              transient: true,
              cause: error,
            });
          });
        await taskDone(client, c, upid, what, 30 * MINUTE);
      }
      const what = `turn VM ${vmid} into ${subject}`;
      // A VM already marked as a template only needs the conversion of its disk.
      const half = found?.template ? DISK : undefined;
      const upid = await c.mutate({ key, what }, () => convertToTemplate(client, host, vmid, half));
      await taskDone(client, c, upid, what, 10 * MINUTE);
    },
    output: (actual) => actual.vm.vmid,
  });
}

async function howFar({ client }: Site, c: Read, vm: FoundVm, storage: string): Promise<SeenTemplate["is"]> {
  if (!vm.template) return "machine";
  const { file = "" } = readProperties(vm.config.next[DISK], "file");
  if (/[:/]base-\d+-/.test(file)) return "template";
  const type = (await storages(client, vm.host, c.signal)).find((one) => one.name === storage)?.type ?? "";
  return WITHOUT_BASES.includes(type) ? "template" : "half";
}
