import { remoteError } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import type { ProxmoxClient } from "./client/client.ts";
import { vmidsFor } from "./identity.ts";
import { TAG } from "./mark.ts";
import { type OwnVolume, ownVolumes } from "./own-volumes.ts";
import { everything } from "./scan.ts";
import { type FoundVm, settledVm } from "./settled-vm.ts";
import type { Site } from "./site.ts";

/** The mark of a template: its content and its VM id. A manual copy keeps the text but not the id. */
export interface TemplateMark {
  template: string;
  storage: string;
  vm: number;
}

const PREFIX = "talosmith-template:";

export function printTemplateMark(mark: TemplateMark): string {
  return `A Talos image to clone machines from, made by talosmith. Any environment may use it; it carries no secrets.\n\n${PREFIX} ${JSON.stringify(mark)}`;
}

/** Reads the mark when it names this very VM. */
export function readTemplateMark(description: string | undefined, vmid: number): TemplateMark | undefined {
  const line = (description ?? "").split("\n").find((one) => one.startsWith(PREFIX));
  try {
    const mark = JSON.parse(line?.slice(PREFIX.length) ?? "") as Partial<TemplateMark> | null;
    return typeof mark?.template === "string" && typeof mark.storage === "string" && mark.vm === vmid
      ? { template: mark.template, storage: mark.storage, vm: vmid }
      : undefined;
  } catch {
    // A damaged mark counts as none.
    return undefined;
  }
}

function isMarked(vm: FoundVm, name: string, storage: string): boolean {
  const mark = readTemplateMark(vm.config.next.description, vm.vmid);
  return mark?.template === name && mark.storage === storage;
}

/** Disks that users attached to a template, which is then not removed. */
export async function foreignDisks(client: ProxmoxClient, c: Read, vm: FoundVm): Promise<OwnVolume[]> {
  return (await ownVolumes(client, c, vm)).filter(({ slot }) => slot !== "scsi0");
}

export interface TemplatePlace {
  vmid: number;
  found?: FoundVm;
}

/** The place of a template on a host and storage: all environments try the same ids in the same order. */
export async function templatePlace(site: Site, c: Read, host: string, name: string, storage: string): Promise<TemplatePlace> {
  const all = await everything(site.client, c);
  for (const vmid of vmidsFor(TAG, name, host, storage)) {
    const there = all.get(vmid);
    if (!there) return { vmid };
    if (there.kind === "container" || there.host !== host) continue;
    const vm = await settledVm(site.client, c, host, vmid);
    if (vm === "absent") return { vmid };
    if (vm !== "stuck" && isMarked(vm, name, storage)) return { vmid, found: vm };
  }
  throw remoteError("NO_FREE_ID", {
    message: `Unable to find a free VM id for the template ${name} on ${host}`,
    hint: "remove VMs that are not needed in the range 20000 to 89999",
  });
}
