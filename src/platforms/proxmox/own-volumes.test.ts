import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { Read } from "../../engine/step.ts";
import type { ProxmoxClient } from "./client/client.ts";
import { ownerOf, ownVolumes, savedStates } from "./own-volumes.ts";
import type { FoundVm } from "./settled-vm.ts";

/* Which volumes Proxmox deletes with a VM: docs/facts/proxmox.md#destroy; names of volumes: docs/facts/proxmox.md#volume-names. */

const vm = (live: Record<string, string>, next = live): FoundVm => ({
  ...{ vmid: 100, host: "pve1", kind: "vm", running: false, template: false, tags: [] },
  config: { live, next },
});

type Answers = Record<string, unknown>;

/** A client that gets responses for these paths; other paths are refused. */
function asking(answers: Answers = {}): { client: ProxmoxClient; c: Read } {
  const get = async (path: string) => {
    if (path in answers) return answers[path];
    throw remoteError("PROXMOX_PERMISSION", {
      message: path,
      cause: { status: 403, reason: "Permission check failed", errors: {} },
    });
  };
  return { client: { get } as unknown as ProxmoxClient, c: { signal: new AbortController().signal } as Read };
}

async function found(options: FoundVm, answers: Answers = {}): Promise<string[]> {
  const { client, c } = asking(answers);
  return (await ownVolumes(client, c, options)).map(({ slot, volume, bytes }) => `${slot} ${volume} ${bytes ?? "?"}`);
}

const GIB = 1024 ** 3;

test.each([
  ["local-lvm:vm-100-disk-0", 100],
  ["tank:base-9000-disk-0/vm-100-disk-1", 100],
  ["local:100/vm-100-disk-0.qcow2", 100],
  ["local:100/data.raw", 100],
  ["local:9000/base-9000-disk-0.qcow2/100/vm-100-disk-0.qcow2", 100],
  ["local-lvm:vm-41234-lab-12345678_gpu-1_models", 41234],
  ["local:iso/debian.iso", undefined],
  ["san:0.0.1.scsi-36001405", undefined],
])("the owner of %s is %s", (volume, owner) => {
  expect(ownerOf(volume)).toBe(owner);
});

test("disks, firmware, cloud-init and what waits for a power cycle go; media, devices of the host and disks of other ids stay", async () => {
  const live = {
    scsi0: "local-lvm:vm-100-disk-0,size=20G",
    scsi1: "local-lvm:vm-41234-lab_gpu-1_models,serial=models,size=500G",
    scsi2: "/dev/disk/by-id/ata-WDC_1:0,size=4T",
    sata3: "local:iso/debian.iso,media=cdrom,size=600M",
    ide1: "none,media=cdrom",
    ide2: "local-lvm:vm-100-cloudinit,media=cdrom",
    efidisk0: "local-lvm:vm-100-disk-1,efitype=4m,size=4M",
    tpmstate0: "local-lvm:vm-100-disk-2,size=4M,version=v2.0",
    net0: "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr0",
    vmstatestorage: "local-lvm",
  };
  const next = { ...live, scsi5: "local-lvm:vm-100-disk-3,size=1G" };
  expect(await found(vm({ ...live, scsi6: "local-lvm:vm-100-disk-4,size=2G" }, next))).toEqual([
    `efidisk0 local-lvm:vm-100-disk-1 ${4 * 1024 ** 2}`,
    `ide2 local-lvm:vm-100-cloudinit ${4 * 1024 ** 2}`,
    `scsi0 local-lvm:vm-100-disk-0 ${20 * GIB}`,
    `scsi6 local-lvm:vm-100-disk-4 ${2 * GIB}`,
    `tpmstate0 local-lvm:vm-100-disk-2 ${4 * 1024 ** 2}`,
    `scsi5 local-lvm:vm-100-disk-3 ${GIB}`,
  ]);
});

test("the size of an unused volume comes from its storage; a storage that may not be listed keeps it to itself", async () => {
  const options = vm({ unused0: "local-lvm:vm-100-disk-3", unused1: "hidden:vm-100-disk-0" });
  const content = [{ volid: "local-lvm:vm-100-disk-3", size: GIB, vmid: 100 }];
  expect(await found(options, { "/nodes/pve1/storage/local-lvm/content": content })).toEqual([
    `unused0 local-lvm:vm-100-disk-3 ${GIB}`,
    "unused1 hidden:vm-100-disk-0 ?",
  ]);
});

test("the owner of a volume without an id in its name comes from its storage; an unknown owner counts as the VM", async () => {
  const options = vm({ scsi4: "san:0.0.1.x,size=1G", scsi5: "linstor:pm-1_100,size=1G", scsi6: "hidden:pm-2,size=1G" });
  const answers = {
    "/nodes/pve1/storage/san/content": [{ volid: "san:0.0.1.x", size: GIB, vmid: 0 }],
    "/nodes/pve1/storage/linstor/content": [{ volid: "linstor:pm-1_100", size: GIB, vmid: "100" }],
  };
  expect(await found(options, answers)).toEqual([`scsi5 linstor:pm-1_100 ${GIB}`, `scsi6 hidden:pm-2 ${GIB}`]);
});

test("the memory that snapshots have kept goes, too", async () => {
  const { client, c } = asking({
    "/nodes/pve1/qemu/100/snapshot": [{ name: "one", vmstate: 1 }, { name: "two", vmstate: 0 }, { name: "current" }],
    "/nodes/pve1/qemu/100/snapshot/one/config": { vmstate: "local-lvm:vm-100-state-one" },
  });
  expect(await savedStates(client, c, vm({}))).toEqual([
    { slot: "snapshot one", volume: "local-lvm:vm-100-state-one", value: {} },
  ]);
});
