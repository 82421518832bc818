import { Secret } from "@talosmith/lib/secret.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { VolumeConfig } from "../../../config/config.ts";
import { printConfig } from "../print.ts";
import { testNode } from "./testing/test-node.ts";
import { directoryDocuments, sizeText, systemVolumeDocuments, volumeDocuments } from "./volumes.ts";

const GiB = 2 ** 30;
const volume: VolumeConfig = { name: "data", kind: "user", minSize: 10 * GiB, grow: false, filesystem: "xfs" };
const systemVolumes = (node: Parameters<typeof testNode>[0]) => systemVolumeDocuments(testNode(node).node);

test("a user volume has a file system, the other kinds have none", () => {
  const volumes: VolumeConfig[] = [
    { ...volume, disk: "/dev/sdb", maxSize: 50 * GiB, grow: true, filesystem: "ext4", encryption: { by: "tpm" } },
    { ...volume, name: "block", kind: "raw", disk: "/dev/sdc" },
    { ...volume, name: "swap", kind: "swap", disk: "/dev/sdd", encryption: { by: "kms", kms: "https://kms.example.org" } },
  ];
  expect(printConfig(volumeDocuments(volumes))).toBe(`apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning:
    diskSelector:
        match: disk.dev_path == "/dev/sdb"
    grow: true
    minSize: 10GiB
    maxSize: 50GiB
filesystem:
    type: ext4
encryption:
    provider: luks2
    keys:
        - slot: 0
          tpm: {}
---
apiVersion: v1alpha1
kind: RawVolumeConfig
name: block
provisioning:
    diskSelector:
        match: disk.dev_path == "/dev/sdc"
    minSize: 10GiB
---
apiVersion: v1alpha1
kind: SwapVolumeConfig
name: swap
provisioning:
    diskSelector:
        match: disk.dev_path == "/dev/sdd"
    minSize: 10GiB
encryption:
    provider: luks2
    keys:
        - slot: 0
          kms:
            endpoint: https://kms.example.org
`);
});

test("a volume that names no disk is on the one Talos is on, and a described disk is never that one", () => {
  const match = (disk: VolumeConfig["disk"]) => {
    const [document] = volumeDocuments([{ ...volume, ...(disk !== undefined && { disk }) }]);
    return JSON.parse(JSON.stringify(document)).provisioning.diskSelector.match;
  };
  expect(match(undefined)).toBe("system_disk");
  expect(match({ type: "nvme" })).toMatch(/disk\.transport == "nvme".* && !system_disk$/);
  expect(match("/dev/sdb")).not.toContain("system_disk");
});

// As in published configs for Talos on Proxmox, and in `talosctl get disks -o yaml` there: the wwid as Linux prints it, no serial.
test("a disk we have attached is known by any of its names", () => {
  const match = (attached: { serial: string; wwn?: string }) =>
    JSON.parse(JSON.stringify(volumeDocuments([{ ...volume, disk: { attached } }])))[0].provisioning.diskSelector.match;
  expect(match({ serial: "models", wwn: "0x5525400123456789" })).toBe(
    'disk.wwid == "naa.5525400123456789" || disk.serial == "models" || "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_models" in disk.symlinks',
  );
  expect(match({ serial: "models" })).toBe('disk.serial == "models" || "/dev/disk/by-id/virtio-models" in disk.symlinks');
});

// ProvisioningSpec.Validate: "min size or max size is required"; MinUserVolumeSize of Talos is 100 MiB.
test("a volume without a size takes all there is", () => {
  const { minSize: _, ...without } = volume;
  expect(volumeDocuments([without])[0]).toMatchObject({ provisioning: { minSize: "100MiB" } });
  expect(volumeDocuments([{ ...without, maxSize: GiB }])[0]).not.toHaveProperty("provisioning.minSize");
});

test("STATE can be encrypted only, EPHEMERAL can have a size and a disk too", () => {
  const node = {
    ephemeral: { minSize: 4 * GiB, maxSize: 100 * 10 ** 9, disk: "/dev/nvme0n1" },
    encryption: { state: { by: "nodeID" }, ephemeral: { by: "passphrase", passphrase: new Secret("correct horse") } },
  } as const;
  expect(printConfig(systemVolumes({ node }))).toBe(`apiVersion: v1alpha1
kind: VolumeConfig
name: STATE
encryption:
    provider: luks2
    keys:
        - slot: 0
          nodeID: {}
---
apiVersion: v1alpha1
kind: VolumeConfig
name: EPHEMERAL
provisioning:
    diskSelector:
        match: disk.dev_path == "/dev/nvme0n1"
    minSize: 4GiB
    maxSize: 100GB
encryption:
    provider: luks2
    keys:
        - slot: 0
          static:
            passphrase: correct horse
`);
});

test("partitions of which nothing is said are not mentioned", () => {
  expect(systemVolumes({})).toEqual([]);
  expect(systemVolumes({ node: { ephemeral: {}, encryption: {} } })).toEqual([]);
});

test("a size is written in the largest unit that loses nothing", () => {
  expect([3 * 2 ** 40, 10 ** 12, 1536 * 2 ** 20, 1].map(sizeText)).toEqual(["3TiB", "1TB", "1536MiB", "1"]);
  const units: Record<string, number> = {
    TiB: 2 ** 40,
    TB: 10 ** 12,
    GiB: 2 ** 30,
    GB: 10 ** 9,
    MiB: 2 ** 20,
    MB: 10 ** 6,
    "": 1,
  };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 50 }), fc.constantFrom(...Object.values(units)), (count, unit) => {
      const bytes = Math.ceil(count / unit) * unit;
      const [, number = "", name = ""] = /^(\d+)(\w*)$/.exec(sizeText(bytes)) ?? [];
      expect(Number(number) * (units[name] ?? Number.NaN)).toBe(bytes);
    }),
  );
});

// hack/test/patches/longhorn.yaml of Talos
test("a folder below /var/mnt that no user volume is mounted at is a directory volume", () => {
  const kubeletMounts = ["/var/mnt/longhorn", "/var/mnt/data", "/var/mnt/block/deep", "/var/lib/other"];
  const volumes: VolumeConfig[] = [volume, { ...volume, name: "block", kind: "raw" }];
  expect(directoryDocuments({ kubeletMounts, volumes })).toEqual([
    { apiVersion: "v1alpha1", kind: "UserVolumeConfig", name: "longhorn", volumeType: "directory" },
    { apiVersion: "v1alpha1", kind: "UserVolumeConfig", name: "block", volumeType: "directory" },
  ]);
});
