import * as z from "zod";
import { encryptionKey } from "./encryption-key.ts";
import { size } from "./size.ts";
import { checked, choice, flag, leaves, list, section, text, type Wrong } from "./value.ts";
import { filesystem, VOLUME_NAME, volumeName } from "./volume-name.ts";
import * as words from "./words.ts";

const DISK = /^\/dev\/[A-Za-z0-9][A-Za-z0-9/._:+-]*$/;
/** A size comparison in Talos's notation: operator, number and unit. */
const DISK_SIZE = /^(>=|<=|>|<|==)? ?\d{1,12}(\.\d{1,6})? ?([KMGTP]i?)?B$/i;
const diskPath = (about: string) =>
  text({
    about,
    example: "/dev/nvme0n1",
    pattern: DISK,
    check: (value) =>
      DISK.test(value)
        ? undefined
        : { says: "is not a disk path", hint: "write the path on the machine, such as /dev/nvme0n1 or /dev/disk/by-id/…" },
  });

/** A glob pattern for a disk property, without characters that would end the quoted text in Talos's expression. */
const fact = (about: string, example: string) =>
  text({
    about,
    example,
    check: (value): Wrong | undefined =>
      value === "" || /[\p{Cc}"'\\]/u.test(value)
        ? {
            says: "is empty or contains a quote, a backslash or a control character",
            hint: `write it as talosctl get disks shows it, such as ${example}`,
          }
        : undefined,
  }).optional();

const selector = checked(
  section("A disk selected by its properties.", {
    size: text({
      about: "Size, with a comparison operator.",
      example: '">= 100GB"',
      check: (value) =>
        DISK_SIZE.test(value)
          ? undefined
          : { says: "is not a size comparison", hint: 'write one such as ">= 100GB" or "== 1TB"' },
    }).optional(),
    serial: fact("Serial number.", "S5GXNX0T123456"),
    model: fact("Model; * matches anything.", "Samsung SSD 980*"),
    wwid: fact("World-wide id (WWID); * matches anything.", "eui.0025388b01234567"),
    busPath: fact("Bus path; * matches anything.", "/pci0000:00/0000:00:17.0/ata1/*"),
    type: choice({ about: "Type of disk.", of: ["ssd", "hdd", "nvme", "sd"] }).optional(),
  }),
  (all) =>
    Object.keys(all).length === 0
      ? { says: "does not describe a disk", hint: 'name at least one property, such as { size: ">= 100GB", type: nvme }' }
      : undefined,
);

const pathOrSelector = (about: string, example: string) =>
  z
    .union([diskPath("Path of the disk."), selector])
    .meta({ description: about, examples: [example] })
    .register(leaves, {
      example,
      typeHint: 'write the path of a disk, such as /dev/nvme0n1, or its properties: { size: ">= 100GB", type: nvme }',
    });

const volume = section("A volume.", {
  name: text({
    about: "Name of the volume; a user volume is mounted at /var/mnt/NAME.",
    example: "data",
    pattern: VOLUME_NAME,
    check: volumeName,
  }),
  kind: choice({
    about: "user: with a file system; raw: without one; swap: swap space.",
    of: ["user", "raw", "swap"],
    byDefault: "user",
  }).optional(),
  disk: pathOrSelector("Disk of the volume, by path or by properties. By default the system disk.", "/dev/nvme0n1").optional(),
  size: size("Exact size: sets both minSize and maxSize.", "100GiB", words.size),
  minSize: size("Minimum size.", "50GiB", words.size),
  maxSize: size("Maximum size.", "200GiB", words.size),
  grow: flag({ about: "Whether the volume grows with its disk.", byDefault: false }).optional(),
  filesystem,
  encryption: encryptionKey("Encryption of the volume:"),
});

/** Disk settings of a node. */
export const diskSettings = {
  installDisk: pathOrSelector(
    "Disk that Talos is installed to, by path or by properties. All data on it is lost. By default /dev/sda.",
    "/dev/nvme0n1",
  ).optional(),
  volumes: list(volume, {
    about: "Volumes for workloads, added to those of the defaults.",
    example: "[{ name: data, disk: /dev/nvme0n1, minSize: 100GiB, grow: true }]",
    byDefault: [],
  }).optional(),
  ephemeral: checked(
    section("Talos's EPHEMERAL volume, with images, logs and the pods' data. By default the rest of the system disk.", {
      minSize: size("Minimum size.", "20GiB", words.size),
      maxSize: size("Maximum size; the rest of the disk is free for volumes.", "60GiB", words.size),
      disk: diskPath("Path of a disk to use instead of the system disk.").optional(),
    }),
    (all) => (Object.keys(all).length === 0 ? { says: "is empty", hint: "add maxSize or disk, or remove it" } : undefined),
  ).optional(),
  encryption: checked(
    section("Encryption of Talos's own partitions.", {
      state: encryptionKey("STATE, the partition with the machine config:"),
      ephemeral: encryptionKey("EPHEMERAL, the partition with images, logs and the pods' data:"),
    }),
    (all) => (Object.keys(all).length === 0 ? { says: "is empty", hint: "add state or ephemeral, or remove it" } : undefined),
  ).optional(),
};
