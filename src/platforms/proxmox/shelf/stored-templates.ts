import type { Read } from "../../../engine/step.ts";
import type { Stored } from "../../platform.ts";
import { type VmSummary, vmConfig } from "../client/qemu.ts";
import { refusalOf } from "../client/refusal.ts";
import { volumes } from "../client/storage.ts";
import { readProperties, readSize } from "../property-string.ts";
import type { FoundVm } from "../settled-vm.ts";
import type { Site } from "../site.ts";
import { foreignDisks, readTemplateMark } from "../template.ts";
import { inWords } from "./stored-files.ts";
import type { Wanted } from "./wanted.ts";

/** The templates of talosmith among these VMs, incomplete ones too, each with the machines that share its disk. */
export async function storedTemplates(site: Site, c: Read, vms: readonly VmSummary[], wanted: Wanted): Promise<Stored[]> {
  // An incomplete template already has a template's name.
  const candidates = vms.filter((vm) => vm.template || /^talos-v\d/.test(vm.name ?? ""));
  const found = await Promise.all(
    candidates.map(async (vm): Promise<Stored[]> => {
      const config = await vmConfig(site.client, vm.host, vm.vmid, c.signal);
      const { next } = config;
      const mark = readTemplateMark(next.description, vm.vmid);
      if (!mark) return [];
      const { host, vmid } = vm;
      return [
        {
          name: mark.template,
          kind: "template",
          where: `${host}:${mark.storage}`,
          bytes: readSize(readProperties(next.scsi0, "file").size) ?? 0,
          wanted: wanted.template(host, mark.storage, mark.template),
          ...(await usersOf(site, c, { ...vm, config }, mark.storage, vms)),
          detail: { host, vmid, storage: mark.storage },
        },
      ];
    }),
  );
  return found.flat();
}

/**
 * The users of a template: its linked clones, which only a listing of its storage shows, and disks that users attached to it. The token may not be
 * allowed to list the storage.
 */
async function usersOf(
  site: Site,
  c: Read,
  vm: FoundVm & VmSummary,
  storage: string,
  vms: readonly VmSummary[],
): Promise<Pick<Stored, "users" | "usersUnknown">> {
  try {
    const disks = (await foreignDisks(site.client, c, vm)).map(
      ({ slot, volume }) => `${slot}, a disk that talosmith did not create (${volume})`,
    );
    return { users: [...(await linkedClones(site, c, vm, storage, vms)), ...disks] };
  } catch (error) {
    if (refusalOf(error)?.status !== 403) throw error;
    return { users: [], usersUnknown: `not known: ${site.client.identity} may not list ${storage}` };
  }
}

/**
 * A linked clone's disk is named after the disk it shares: "base-100-disk-0/vm-101-disk-0", in a folder
 * "100/base-100-disk-0.qcow2/101/vm-101-disk-0.qcow2". On LVM-thin it is not, because there it does not need its template any more.
 */
async function linkedClones({ client }: Site, c: Read, { host, vmid }: VmSummary, storage: string, vms: readonly VmSummary[]) {
  const disks = await c.shared(`disks ${host}:${storage}`, () => volumes(client, host, storage, "images", c.signal));
  const shares = new RegExp(`[:/]base-${vmid}-[^/]+/(?:\\d+/)?(?:vm|base)-(\\d+)-`);
  const owners = new Set(disks.flatMap(({ id }) => Number(shares.exec(id)?.[1]) || []));
  return [...owners].sort((a, b) => a - b).map((owner) => inWords(vms.find((vm) => vm.vmid === owner) ?? { vmid: owner }));
}
