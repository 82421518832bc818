import fc from "fast-check";
import { expect, test } from "vitest";
import { changed, load } from "../../../../config/testing/config-in-memory.ts";
import { type Case, toldAlone } from "../../../../config/testing/told-alone.ts";
import { serialOf, wwnOf } from "../disk-names.ts";

/** At line 18 of the good config. */
const onNode = (...lines: string[]) => ({ "ip: 10.10.0.11": ["ip: 10.10.0.11", ...lines].join("\n    ") });

const cases: Case[] = [
  [
    "two disks with one volume",
    onNode("disks: [{ size: 1GiB, volume: data }, { size: 2GiB, volume: data }]"),
    "18:65",
    "nodes[0].disks[1] has the volume of nodes[0].disks[0]",
    "give one of the two another",
  ],
  [
    "two disks of one name",
    onNode("disks: [{ size: 1GiB, name: data }, { size: 2GiB, name: data }]"),
    "18:61",
    "nodes[0].disks[1] has the name of nodes[0].disks[0]",
    "give one of the two another",
  ],
  [
    "a volume that is there already",
    onNode("volumes: [{ name: data, disk: /dev/sdb, size: 1GiB }]", "disks: [{ size: 1GiB, volume: data }]"),
    "19:35",
    "nodes[0].disks[0].volume is the name of nodes[0].volumes[0] (line 18)",
    "remove that one: a data disk's volume takes the whole disk by itself; or give one of the two another name",
  ],
  [
    "a volume with a name of Talos's",
    onNode("disks: [{ size: 1GiB, volume: state }]"),
    "18:35",
    "nodes[0].disks[0].volume is a name that Talos uses itself",
    "choose another",
  ],
  [
    "a volume whose name is none",
    onNode("disks: [{ size: 1GiB, volume: my data }]"),
    "18:35",
    "nodes[0].disks[0].volume is not a valid volume name",
    "use at most 34 letters, digits and hyphens, such as data",
  ],
  [
    "a raw volume that is none",
    onNode("disks: [{ size: 1GiB, raw: true }]"),
    "18:27",
    "nodes[0].disks[0].raw has no effect without volume",
    "add volume: NAME, or remove raw: Talos does not use a disk without volume",
  ],
  [
    "a raw volume with a file system",
    onNode("disks: [{ size: 1GiB, volume: a, raw: true, filesystem: xfs }]"),
    "18:49",
    "nodes[0].disks[0].filesystem is set, but a raw volume has no file system",
    "remove it, or raw",
  ],
  [
    "a disk encrypted by a TPM that is not there",
    onNode("disks: [{ size: 1GiB, volume: a, encryption: tpm }]"),
    "18:50",
    "nodes[0].disks[0].encryption is tpm, but the machine has no TPM",
    "add tpm: true to the node or the defaults, or use nodeID",
  ],
  [
    "a disk that is kept without a name",
    onNode("disks: [{ size: 1GiB, keep: true }]"),
    "18:27",
    "nodes[0].disks[0] is kept, but has no name by which it can be found again",
    "add volume: NAME, or name: NAME for a disk without a volume",
  ],
  [
    "a size without a unit",
    onNode("disks: [{ size: 5 }]"),
    "18:21",
    "nodes[0].disks[0].size has no unit",
    "write a number and a unit, such as 500GiB",
  ],
  [
    "a disk without a size",
    onNode("disks: [{ volume: data }]"),
    "18:13",
    "nodes[0].disks[0].size is missing",
    "add to this entry:\nsize: 500GiB",
  ],
  [
    "a mount of one's own",
    onNode("disks: [{ size: 1GiB, volume: data, mount: /data }]"),
    "18:41",
    "nodes[0].disks[0].mount is not available yet in this version",
    "remove it: a disk with volume: NAME is mounted at /var/mnt/NAME",
  ],
  [
    "data disks that an installation could take for the system disk",
    { ...onNode("controller: virtio", "disks: [{ size: 1GiB }]"), "talos: v1.13.9": "talos: v1.13.9\nimage: { method: iso }" },
    "20:5",
    "nodes[0].disks with controller virtio cannot be distinguished from the system disk while Talos installs itself",
    "use another controller, or image.method: import",
  ],
  [
    "more disks than there are slots",
    onNode("controller: virtio", `disks: [${Array.from({ length: 15 }, () => "{ size: 1GiB }").join(", ")}]`),
    "19:5",
    "nodes[0].disks has more than 14 disks",
    "a machine can have 14 beside its system disk with controller virtio",
  ],
];
toldAlone(cases);

test("a disk of a node replaces those of the defaults", () => {
  const config = changed({
    "nodes:": "defaults: { all: { disks: [{ size: 1GiB, volume: a }] } }\nnodes:",
    ...onNode("disks: []"),
  });
  expect(load(config).config.nodes.map(({ disks, volumes }) => [disks.length, volumes.length])).toEqual([
    [0, 0],
    [1, 1],
    [1, 1],
  ]);
});

// Drive.pm of qemu-server: "up to 20 bytes long".
test("serial numbers have at most 20 characters, and different names have different ones", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9-]{1,34}$/);
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(serialOf(one)).toMatch(/^[A-Za-z0-9-]{1,20}$/);
      if (one.length <= 20) expect(serialOf(one)).toBe(one);
      expect(serialOf(one) === serialOf(other)).toBe(one === other);
      // Drive.pm: 0x and 16 hexadecimal digits. The first one says what kind of name it is: Linux takes 5, "registered", for its wwid.
      expect(wwnOf(one)).toMatch(/^0x5[0-9a-f]{15}$/);
    }),
  );
});

test("only a SCSI disk has a WWN that Talos sees, a virtio disk has none", () => {
  const disks = (controller: string) =>
    load(changed(onNode(`controller: ${controller}`, "disks: [{ size: 1GiB, volume: a }]"))).config.nodes[0];
  const scsi = disks("virtio-scsi-pci");
  expect(scsi?.disks[0]?.wwn).toBe(wwnOf("a"));
  expect(scsi?.volumes[0]?.disk).toEqual({ attached: { serial: "a", wwn: wwnOf("a") } });
  expect(disks("virtio")?.disks[0]).not.toHaveProperty("wwn");
});

test("warns about a disk's serial number in a volume, because Talos does not see it", () => {
  const { warnings } = load(changed(onNode("volumes: [{ name: a, disk: { serial: b }, size: 1GiB }]")));
  expect(warnings.map(({ message }) => message)).toEqual([
    "nodes[0].volumes[0].disk.serial is not visible to Talos on Proxmox, so the volume would wait for its disk forever",
  ]);
});

test("an installation beside data disks goes to the first drive, whichever letter it gets", () => {
  const config = changed({ ...onNode("disks: [{ size: 1GiB }]"), "talos: v1.13.9": "talos: v1.13.9\nimage: { method: iso }" });
  // The link udev makes of a drive's id in QEMU.
  expect(load(config).config.nodes.map((node) => node.installDisk)).toEqual([
    "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_drive-scsi0",
    "/dev/sda",
    "/dev/sda",
  ]);
});
