import type { Read } from "../../../engine/step.ts";
import { isImageFile } from "../../../talos/image/image.ts";
import type { Stored } from "../../platform.ts";
import { type VmSummary, vmConfig } from "../client/qemu.ts";
import { type FileContent, type StorageSummary, storages, volumes } from "../client/storage.ts";
import { readProperties } from "../property-string.ts";
import type { Site } from "../site.ts";
import type { Wanted } from "./wanted.ts";

interface StoredFile {
  host: string;
  volume: string;
  file: string;
  content: FileContent;
  bytes: number;
  storage: StorageSummary;
}

/** The images and ISOs of talosmith on these hosts; those on a shared storage are listed once. */
export async function storedFiles(
  site: Site,
  c: Read,
  hosts: readonly string[],
  vms: readonly VmSummary[],
  wanted: Wanted,
): Promise<Stored[]> {
  const files = (await Promise.all(hosts.map((host) => filesOn(site, c, host)))).flat();
  const once = files.filter((one, at) => !one.storage.shared || files.findIndex(({ volume }) => volume === one.volume) === at);
  const inDrives = once.some(({ content }) => content === "iso") ? await usersOfIsos(site, c, vms) : [];
  return once.map(({ host, volume, file, content, bytes, storage }) => ({
    name: file.replace(/\.(qcow2|iso)$/, ""),
    kind: content === "iso" ? "ISO" : "image",
    where: storage.shared ? storage.name : `${host}:${storage.name}`,
    bytes,
    wanted: wanted.file(host, volume, storage.shared),
    users: inDrives.filter((one) => one.iso === volume && (storage.shared || one.vm.host === host)).map(({ vm }) => inWords(vm)),
    detail: { host, volume },
  }));
}

async function filesOn({ client }: Site, c: Read, host: string): Promise<StoredFile[]> {
  const stores = (await storages(client, host, c.signal)).filter((storage) => storage.active);
  const looks = stores.flatMap((storage) =>
    (["import", "iso"] as const)
      .filter((content) => storage.content.includes(content))
      .map(async (content) => {
        const all = await volumes(client, host, storage.name, content, c.signal);
        return all.flatMap(({ id, sizeBytes }): StoredFile[] => {
          const file = id.slice(`${storage.name}:${content}/`.length);
          return isImageFile(file) ? [{ host, volume: id, file, content, bytes: sizeBytes, storage }] : [];
        });
      }),
  );
  return (await Promise.all(looks)).flat();
}

/** The VMs with such an ISO in a drive, which would not start without it. Any VM may have one, not only those of this cluster. */
async function usersOfIsos({ client }: Site, c: Read, vms: readonly VmSummary[]): Promise<{ vm: VmSummary; iso: string }[]> {
  const found = await Promise.all(
    vms.map(async (vm) => {
      const { next } = await vmConfig(client, vm.host, vm.vmid, c.signal);
      const drives = Object.entries(next).filter(([option]) => /^(ide|sata|scsi)\d+$/.test(option));
      return drives.flatMap(([, text]) => {
        const { file } = readProperties(text, "file");
        return file?.includes(":iso/") ? [{ vm, iso: file }] : [];
      });
    }),
  );
  return found.flat();
}

export function inWords({ vmid, name }: Pick<VmSummary, "vmid" | "name">): string {
  return name === undefined ? `VM ${vmid}` : `VM ${vmid} (${name})`;
}
