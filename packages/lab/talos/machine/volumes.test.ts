import { expect, test } from "vitest";
import type { Disk, Machine } from "../state.ts";
import { TestCluster } from "../testing/configs.ts";
import { userVolumes } from "./volumes.ts";

const GiB = 1024 ** 3;
const disk = (device: string, gib: number): Disk => ({
  device,
  name: `disk ${device}`,
  size: gib * GiB,
  model: "QEMU HARDDISK",
  serial: `serial-${device}`,
  transport: "virtio",
  cdrom: false,
});

const cluster = new TestCluster("test", "https://10.10.0.5:6443");

/** The volumes of a machine that runs from sda and has two more disks. */
function volumes(...documents: object[]) {
  const config = cluster.config(
    "worker",
    "w-1",
    documents.map((one) => ({ apiVersion: "v1alpha1", ...one })),
  );
  const hardware = { disks: [disk("sda", 20), disk("sdb", 100), disk("sdc", 50)] };
  return userVolumes({ hardware, boot: { config, disk: "disk sda" } } as unknown as Machine);
}

const user = (name: string, provisioning: object, more: object = {}) => ({
  kind: "UserVolumeConfig",
  name,
  provisioning,
  ...more,
});
const match = (text: string) => ({ diskSelector: { match: text } });

test("a volume is placed on the disk that matches its expression, with its maximum size", () => {
  const [found] = volumes(user("models", { ...match('disk.dev_path == "/dev/sdb"'), minSize: "10GiB", maxSize: "40GiB" }));
  expect(found).toMatchObject({
    id: "u-models",
    phase: "ready",
    device: "sdb",
    partition: 1,
    size: 40 * GiB,
    mount: "/var/mnt/models",
  });
});

test("the next volume on the same disk gets the remaining space, encrypted when its document says so", () => {
  const encryption = { provider: "luks2", keys: [{ slot: 0, nodeID: {} }] };
  const found = volumes(
    user("a", { ...match("disk.size > 90u * GB && !system_disk"), maxSize: "60GiB" }),
    user("b", { ...match('disk.serial == "serial-sdb"'), minSize: "1GiB", grow: true }, { encryption }),
  );
  expect(found.map(({ device, partition, keys }) => [device, partition, keys])).toEqual([
    ["sdb", 1, []],
    ["sdb", 2, ["nodeID"]],
  ]);
});

// locate.go of 1.13.9.
test("a volume without a matching disk, or without enough space, fails with the reason", () => {
  const found = volumes(
    user("none", { ...match('disk.transport == "nvme"'), minSize: "1GiB" }),
    user("large", { ...match('glob("QEMU*", disk.model) && !system_disk'), minSize: "1TiB" }),
  );
  expect(found.map(({ phase, error }) => [phase, error])).toEqual([
    ["failed", "no disks matched selector for volume"],
    [
      "failed",
      "no disks matched for volume (2 matched selector): 2 have not enough space, 0 have wrong format, 0 have other issues",
    ],
  ]);
});
