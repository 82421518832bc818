import { remoteError } from "@talosmith/lib/errors.ts";
import { type Deletion, deletionWords, unlisted } from "../../engine/deletion.ts";
import type { Read } from "../../engine/step.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { systemSlot } from "./fields/drives.ts";
import { disksMade, type Mark } from "./mark.ts";
import { isCloudInit, type OwnVolume, ownVolumes, savedStates } from "./own-volumes.ts";
import type { FoundVm } from "./settled-vm.ts";
import type { Site } from "./site.ts";

/** All volumes that are deleted with a machine, those that talosmith did not create marked as such: ADR 0041. */
export async function deletionsOf({ client, env }: Site, c: Read, vm: FoundVm, mark: Mark): Promise<Deletion[]> {
  const [own, states] = await Promise.all([ownVolumes(client, c, vm), savedStates(client, c, vm)]);
  const config = env.config.nodes.find(({ name }) => name === mark.node);
  const known: Known = { own, mark, config, running: vm.running };
  return [
    ...own.map((one) => ({
      ...deletion(mark.node, one),
      ...(!isMadeByUs(one, known) && { foreign: { host: vm.host, move: moveCommands(vm, mark.node, one.slot) } }),
    })),
    ...states.map((one) => deletion(mark.node, one)),
  ];
}

function deletion(node: string, { slot, volume, bytes }: OwnVolume): Deletion {
  return { node, slot, volume, ...(bytes !== undefined && { bytes }) };
}

interface Known {
  own: readonly OwnVolume[];
  mark: Mark;
  /** Undefined when the node is no longer in the config. */
  config: Pick<ProxmoxNodeConfig, "disks"> | undefined;
  running: boolean;
}

/** Volumes for Proxmox's own purposes, which hold no user data. */
const SYSTEM = ["efidisk0", "tpmstate0", "vmstate"];

/** Whether talosmith created a volume. In doubt it did not: the user can name the volume to delete it. */
export function isMadeByUs(one: OwnVolume, known: Known): boolean {
  const { own, mark, config } = known;
  const { slot, value } = one;
  if (slot === slotOfSystem(mark) || SYSTEM.includes(slot) || isCloudInit(one) || isUnfinishedClone(one, known)) return true;
  const made = disksMade(mark) ?? config?.disks.map(({ serial }) => serial) ?? [];
  const isKept = config?.disks.some(({ keep, serial }) => keep && serial === value.serial);
  const isOnly = own.filter((other) => other.value.serial === value.serial).length === 1;
  return value.serial !== undefined && made.includes(value.serial) && isOnly && !isKept;
}

function slotOfSystem({ bus }: Mark): string {
  return systemSlot({ controller: bus ?? "virtio-scsi-pci" });
}

/**
 * Whether the disk belongs to an unfinished clone. A template's disk is on SCSI; a clone with virtio detaches and reattaches it before its first
 * start. When that is interrupted, the disk is still on SCSI, or detached.
 */
function isUnfinishedClone({ slot, value }: OwnVolume, { own, mark, running }: Known): boolean {
  const has = (other: string) => own.some((one) => one.slot === other);
  if (mark.bus !== "virtio" || running || has(slotOfSystem(mark))) return false;
  if (slot === "scsi0") return value.serial === undefined;
  return slot.startsWith("unused") && !has("scsi0") && own.filter((one) => one.slot.startsWith("unused")).length === 1;
}

/**
 * Commands that move a disk to a new VM on the same host: Proxmox moves disks between VMs only within a host. It refuses to detach one from a running
 * VM; a disk that is attached nowhere can be moved at any time.
 */
function moveCommands({ vmid, running }: FoundVm, node: string, slot: string): string[] {
  const name = `disks-of-${node}`.slice(0, 63).replace(/-+$/, "");
  return [
    `vm=$(pvesh get /cluster/nextid) && qm create $vm --name ${name}`,
    ...(running && !slot.startsWith("unused") ? [`qm shutdown ${vmid}`] : []),
    `qm disk move ${vmid} ${slot} --target-vmid $vm --target-disk ${slot}`,
  ];
}

/** Fails right before a VM is destroyed when it has a volume that the plan did not list. */
export async function requireListed(
  { client }: Site,
  c: Read,
  node: string,
  vm: FoundVm,
  listed: readonly Deletion[],
): Promise<void> {
  const now = (await ownVolumes(client, c, vm)).map((one) => deletion(node, one));
  const more = unlisted(listed, now);
  if (more)
    throw remoteError("WORLD_CHANGED", {
      message: `Unable to remove machine ${node}: a disk was attached to it after the plan was made`,
      detail: deletionWords(more),
      hint: "run the command again to see a new plan. No disk was deleted.",
    });
}
