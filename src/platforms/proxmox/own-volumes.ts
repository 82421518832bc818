import type { Read } from "../../engine/step.ts";
import { type ProxmoxClient, refusalOf } from "./client/client.ts";
import { snapshotStates, type VmConfig } from "./client/qemu.ts";
import { volumes } from "./client/storage.ts";
import { type Properties, readProperties, readSize } from "./property-string.ts";
import type { FoundVm } from "./settled-vm.ts";

/** A volume that Proxmox deletes together with its VM. */
export interface OwnVolume {
  /** "scsi5", "unused0", "efidisk0"; "vmstate" and "snapshot NAME" hold memory. */
  slot: string;
  volume: string;
  /** What its drive says besides. */
  value: Properties;
  bytes?: number;
}

const SLOT = /^(?:(?:scsi|virtio|sata|ide|efidisk|tpmstate|unused)\d+|vmstate)$/;
/** "local-lvm:vm-20417-disk-0"; not "/dev/sdb", nor "none". */
const VOLUME = /^[a-z][\w.-]*:./i;
const CLOUD_INIT = /[:/](?:vm-\d+-)?cloudinit(?:\.\w+)?$/;
/** Proxmox makes every cloud-init drive that large, and does not always say so. */
const CLOUD_INIT_BYTES = 4 * 1024 ** 2;

export const isCloudInit = ({ volume }: Pick<OwnVolume, "volume">) => CLOUD_INIT.test(volume);

/**
 * The VM that a volume belongs to, as its name says: on storages of files the folder, elsewhere the number behind "vm-". Proxmox deletes with a VM what
 * is its own and nothing else.
 */
export function ownerOf(volume: string): number | undefined {
  const path = volume.slice(volume.indexOf(":") + 1);
  const [, folder] = /(?:^|\/)(\d+)\/[^/]+$/.exec(path) ?? [];
  const [, number] = /(?:^|\/)(?:vm|base)-(\d+)-[^/]+$/.exec(path) ?? [];
  const owner = folder ?? number;
  return owner === undefined ? undefined : Number(owner);
}

/** What a VM's config names, now and after a power cycle: either goes with it. Not the host's own devices, nor what is in a CD-ROM drive. */
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

/** The volumes that go with a VM's config. */
export async function ownVolumes(client: ProxmoxClient, c: Read, vm: FoundVm): Promise<OwnVolume[]> {
  const mayBeIts = namedVolumes(vm.config).filter(({ volume }) => (ownerOf(volume) ?? vm.vmid) === vm.vmid);
  return asStored(client, c, vm, mayBeIts);
}

/** The memory that snapshots of a VM have kept; it goes along, while the VM's disks take their own snapshots with them. */
export async function savedStates(client: ProxmoxClient, c: Read, vm: FoundVm): Promise<OwnVolume[]> {
  const states = await snapshotStates(client, vm.host, vm.vmid, c.signal);
  const found = states.map(({ name, volume }) => ({ slot: `snapshot ${name}`, volume, value: {} }));
  return asStored(client, c, vm, found);
}

/** With what only a storage knows: the size of what is attached nowhere, and whose it is where a name does not say so. Unknown, it may be this VM's. */
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

/** A storage that may not be listed, or cannot, hides sizes; nothing fails for want of one. */
async function listed(client: ProxmoxClient, c: Read, host: string, storage: string) {
  try {
    return await volumes(client, host, storage, "images", c.signal);
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return [];
  }
}
