import type { Read } from "../../engine/step.ts";
import { type ProxmoxClient, refusalOf } from "./client/client.ts";
import { snapshotStates, type VmConfig } from "./client/qemu.ts";
import { volumes } from "./client/storage.ts";
import { type Properties, readProperties, readSize } from "./property-string.ts";
import type { FoundVm } from "./settled-vm.ts";

/** A volume that Proxmox deletes together with its VM. */
export interface OwnVolume {
  /** "scsi5", "unused0", "efidisk0"; "vmstate" and "snapshot NAME" contain memory. */
  slot: string;
  volume: string;
  /** The other properties of its drive. */
  value: Properties;
  bytes?: number;
}

const SLOT = /^(?:(?:scsi|virtio|sata|ide|efidisk|tpmstate|unused)\d+|vmstate)$/;
/** "local-lvm:vm-20417-disk-0"; not "/dev/sdb", nor "none". */
const VOLUME = /^[a-z][\w.-]*:./i;
const CLOUD_INIT = /[:/](?:vm-\d+-)?cloudinit(?:\.\w+)?$/;
/** The size of every cloud-init drive, which Proxmox does not always report. */
const CLOUD_INIT_BYTES = 4 * 1024 ** 2;

export const isCloudInit = ({ volume }: Pick<OwnVolume, "volume">) => CLOUD_INIT.test(volume);

/** The VM that owns a volume, from its name: the folder on file storages, else the number after "vm-". Proxmox deletes only a VM's own volumes with it. */
export function ownerOf(volume: string): number | undefined {
  const path = volume.slice(volume.indexOf(":") + 1);
  const [, folder] = /(?:^|\/)(\d+)\/[^/]+$/.exec(path) ?? [];
  const [, number] = /(?:^|\/)(?:vm|base)-(\d+)-[^/]+$/.exec(path) ?? [];
  const owner = folder ?? number;
  return owner === undefined ? undefined : Number(owner);
}

/** The volumes in a VM's live and pending config, both of which are deleted with it. Without devices of the host and media in CD-ROM drives. */
function namedVolumes({ live, next }: VmConfig): OwnVolume[] {
  const found = new Map<string, OwnVolume>();
  const isUnused = (slot: string) => slot.startsWith("unused");
  for (const options of [live, next]) {
    const slots = Object.keys(options).filter((option) => SLOT.test(option));
    slots.sort((a, b) => Number(isUnused(a)) - Number(isUnused(b)) || (a < b ? -1 : 1));
    for (const slot of slots) {
      const value = readProperties(options[slot], "file");
      const { file: volume = "" } = value;
      const isMedium = value.media === "cdrom" && !isCloudInit({ volume });
      if (!VOLUME.test(volume) || isMedium || found.has(volume)) continue;
      const bytes = readSize(value.size) ?? (isCloudInit({ volume }) ? CLOUD_INIT_BYTES : undefined);
      found.set(volume, { slot, volume, value, ...(bytes !== undefined && { bytes }) });
    }
  }
  return [...found.values()];
}

/** The volumes that are deleted with a VM. */
export async function ownVolumes(client: ProxmoxClient, c: Read, vm: FoundVm): Promise<OwnVolume[]> {
  const mayBeIts = namedVolumes(vm.config).filter(({ volume }) => (ownerOf(volume) ?? vm.vmid) === vm.vmid);
  return asStored(client, c, vm, mayBeIts);
}

/** The volumes with the memory of a VM's snapshots, which are deleted with it. Snapshots of disks are part of the disks. */
export async function savedStates(client: ProxmoxClient, c: Read, vm: FoundVm): Promise<OwnVolume[]> {
  const states = await snapshotStates(client, vm.host, vm.vmid, c.signal);
  const found = states.map(({ name, volume }) => ({ slot: `snapshot ${name}`, volume, value: {} }));
  return asStored(client, c, vm, found);
}

/**
 * Adds facts that only the storage knows: the size of detached volumes, and the owner when the name does not show it. A volume with an unknown owner
 * may be this VM's.
 */
async function asStored(client: ProxmoxClient, c: Read, vm: FoundVm, found: readonly OwnVolume[]): Promise<OwnVolume[]> {
  const unsure = found.filter(({ volume, bytes }) => bytes === undefined || ownerOf(volume) === undefined);
  const storages = [...new Set(unsure.map(({ volume }) => volume.split(":")[0] ?? ""))];
  const lists = await Promise.all(storages.map((storage) => listed(client, c, vm.host, storage)));
  const known = new Map(lists.flat().map((one) => [one.id, one]));
  return found.flatMap((one) => {
    const there = known.get(one.volume);
    if ((ownerOf(one.volume) ?? there?.vmid ?? vm.vmid) !== vm.vmid) return [];
    const bytes = one.bytes ?? there?.sizeBytes;
    return [{ ...one, ...(bytes !== undefined && { bytes }) }];
  });
}

/** Lists a storage; when that fails, sizes stay unknown, which is no error. */
async function listed(client: ProxmoxClient, c: Read, host: string, storage: string) {
  try {
    return await volumes(client, host, storage, "images", c.signal);
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return [];
  }
}
