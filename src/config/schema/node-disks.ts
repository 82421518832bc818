import * as z from "zod";
import { encryptionKey } from "./encryption-key.ts";
import { size } from "./size.ts";
import { checked, choice, flag, leaves, list, section, text, type Wrong } from "./value.ts";
import { filesystem, VOLUME_NAME, volumeName } from "./volume-name.ts";
import * as words from "./words.ts";

const DISK = /^\/dev\/[A-Za-z0-9][A-Za-z0-9/._:+-]*$/;
/** What Talos reads: the sign, a number, and a unit of either kind. */
const DISK_SIZE = /^(>=|<=|>|<|==)? ?\d{1,12}(\.\d{1,6})? ?([KMGTP]i?)?B$/i;
const diskPath = (about: string) =>
  text({
    about,
    example: "/dev/nvme0n1",
    pattern: DISK,
    check: (value) =>
      DISK.test(value)
        ? undefined
        : { says: "is no path of a disk", hint: "write it as the machine has it, such as /dev/nvme0n1 or /dev/disk/by-id/…" },
  });

/** A pattern of a shell, as Talos matches it: nothing that would end the text it is put into. */
const fact = (about: string, example: string) =>
  text({
    about,
    example,
    check: (value): Wrong | undefined =>
      value === "" || /[\p{Cc}"'\\]/u.test(value)
        ? {
            says: "holds a character that no disk's facts have",
            hint: `write it as talosctl get disks shows it, such as ${example}`,
          }
        : undefined,
  }).optional();

const selector = checked(
  section("A disk described by what it is.", {
    size: text({
      about: "Its size, compared.",
      example: '">= 100GB"',
      check: (value) =>
        DISK_SIZE.test(value)
          ? undefined
          : { says: "is no size to compare with", hint: 'write one such as ">= 100GB" or "== 1TB"' },
    }).optional(),
    serial: fact("Its serial number.", "S5GXNX0T123456"),
    model: fact("Its model; * stands for anything.", "Samsung SSD 980*"),
    wwid: fact("Its world-wide id; * stands for anything.", "eui.0025388b01234567"),
    busPath: fact("Where it is plugged in; * stands for anything.", "/pci0000:00/0000:00:17.0/ata1/*"),
    type: choice({ about: "What kind of disk it is.", of: ["ssd", "hdd", "nvme", "sd"] }).optional(),
  }),
  (all) =>
    Object.keys(all).length === 0
      ? { says: "describes no disk", hint: 'say something about it, such as { size: ">= 100GB", type: nvme }' }
      : undefined,
);

const pathOrSelector = (about: string, example: string) =>
  z
    .union([diskPath("Path of the disk."), selector])
    .meta({ description: about, examples: [example] })
    .register(leaves, {
      example,
      typeHint: 'write the path of a disk, such as /dev/nvme0n1, or what it is: { size: ">= 100GB", type: nvme }',
    });

const volume = section("A volume.", {
  name: text({
    about: "Its name; a user volume is mounted at /var/mnt/NAME.",
    example: "data",
    pattern: VOLUME_NAME,
    check: volumeName,
  }),
  kind: choice({
    about: "user has a file system, raw has none, swap is memory.",
    of: ["user", "raw", "swap"],
    byDefault: "user",
  }).optional(),
  disk: pathOrSelector("The disk it is on, by path or by what it is. By default the system disk.", "/dev/nvme0n1").optional(),
  size: size("Its size exactly: short for minSize and maxSize.", "100GiB", words.size),
  minSize: size("Least size.", "50GiB", words.size),
  maxSize: size("Largest size.", "200GiB", words.size),
  grow: flag({ about: "Whether it grows with its disk.", byDefault: false }).optional(),
  filesystem,
  encryption: encryptionKey("What it is encrypted with:"),
});

/** What is on which disk of a node. */
export const diskSettings = {
  installDisk: pathOrSelector(
    "The disk Talos is installed to, by path or by what it is; what is on it is lost. By default /dev/sda.",
    "/dev/nvme0n1",
  ).optional(),
  volumes: list(volume, {
    about: "Volumes for workloads, added to those of the defaults.",
    example: "[{ name: data, disk: /dev/nvme0n1, minSize: 100GiB, grow: true }]",
    byDefault: [],
  }).optional(),
  ephemeral: checked(
    section("Where Talos keeps images, logs and pods' data. By default all that is left of the system disk.", {
      minSize: size("Least size.", "20GiB", words.size),
      maxSize: size("Largest size; the rest of the disk is free for volumes.", "60GiB", words.size),
      disk: diskPath("Another disk than the system disk.").optional(),
    }),
    (all) => (Object.keys(all).length === 0 ? { says: "says nothing", hint: "add maxSize or disk, or remove it" } : undefined),
  ).optional(),
  encryption: checked(
    section("Which of Talos's own partitions are encrypted, and with what.", {
      state: encryptionKey("The partition with the machine config:"),
      ephemeral: encryptionKey("The partition with everything else:"),
    }),
    (all) => (Object.keys(all).length === 0 ? { says: "says nothing", hint: "add state or ephemeral, or remove it" } : undefined),
  ).optional(),
};
