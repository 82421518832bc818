import { internalError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { ConfigPath } from "../../../config/config.ts";
import type { VmOptions } from "../client/qemu.ts";
import type { DataDisk, DiskFlags } from "../config/config-on-proxmox.ts";
import { ISO_DRIVE, installationIso } from "../installation-iso.ts";
import type { MachineSpec } from "../machine.ts";
import { isOn, type Properties, readProperties } from "../property-string.ts";
import { busOf, type Drive, dataDrive, driveText, slotsFor, systemDrive, systemSlot, unusedVolumes } from "./drives.ts";
import { type FieldItem, field, type MachineField, type Sending } from "./field.ts";

const CLOUD_INIT = "ide2";

const hasCloudInit = (options: VmOptions) => Object.values(options).some((value) => /[:/]vm-\d+-cloudinit/.test(value));

/** The boot order without the installation medium, which may be behind the disk during the installation. */
function bootOrder(options: VmOptions): string[] {
  const order = (readProperties(options.boot, "legacy").order ?? "").split(";").filter((slot) => slot !== "");
  return order.at(-1) === ISO_DRIVE && order.length > 1 && installationIso(options) !== undefined ? order.slice(0, -1) : order;
}

/** Describes a disk without naming its volume. */
function described(disk: DataDisk): string {
  return `${disk.size} GiB on ${disk.storage}${disk.keep ? ", kept" : ""}`;
}

const FLAGS: readonly {
  name: keyof DiskFlags;
  readsBack: string;
  read(value: Properties): Json;
  want(flags: DiskFlags): Json;
}[] = [
  { name: "discard", readsBack: "`discard=on`", read: ({ discard }) => isOn(discard), want: ({ discard }) => discard },
  { name: "ssd", readsBack: "`ssd=1`; not with virtio", read: ({ ssd }) => isOn(ssd), want: ({ ssd }) => ssd },
  { name: "iothread", readsBack: "`iothread=1`", read: ({ iothread }) => isOn(iothread), want: ({ iothread }) => iothread },
  {
    name: "cache",
    readsBack: "`cache=writeback`; absent is none",
    read: ({ cache }) => cache ?? "none",
    want: ({ cache }) => cache ?? "none",
  },
  {
    name: "backup",
    readsBack: "`backup=0`; absent is on",
    read: ({ backup }) => backup === undefined || isOn(backup),
    want: ({ backup }) => backup,
  },
];

interface WantedDisk {
  readonly path: string;
  /** The setting of its flags in the config. */
  readonly setting: ConfigPath;
  readonly flags: DiskFlags;
  find(options: VmOptions): Drive | undefined;
}

function disksOf({ node }: MachineSpec): WantedDisk[] {
  return [
    {
      path: "system disk",
      setting: ["nodes", node.name, "diskFlags"],
      flags: node.diskFlags,
      find: (options) => systemDrive(node, options),
    },
    ...node.disks.map((disk, at) => ({
      path: `disk ${disk.name}`,
      setting: ["nodes", node.name, "disks", at, "flags"],
      flags: disk.flags,
      find: (options: VmOptions) => dataDrive(disk, options),
    })),
  ];
}

function flagField({ name, readsBack, read, want }: (typeof FLAGS)[number]): MachineField {
  return {
    name: `disk ${name}`,
    config: `nodes[].diskFlags.${name}, disks[].flags.${name}`,
    readsBack: `scsi0, scsi1 …: ${readsBack}; other options in the value are kept`,
    takesEffect: name === "backup" ? "live" : "restart",
    items: (spec) =>
      disksOf(spec)
        .filter(() => name !== "ssd" || busOf(spec.node) === "scsi")
        .map(({ path, setting, flags, find }): FieldItem => {
          const wanted = want(flags);
          return {
            path: `${path} ${name}`,
            setting: [...setting, name],
            // A missing disk is one difference, not six.
            read: (options) => {
              const drive = find(options);
              return drive ? read(drive.value) : wanted;
            },
            want: wanted,
            send: (now) => {
              const drive = find(now);
              return drive ? { set: { [drive.slot]: driveText(drive.value, flags, busOf(spec.node)) } } : {};
            },
          };
        }),
  };
}

/** Reverts the pending detachment of a disk: Proxmox does not unplug a disk that a running machine boots from, but waits for a power cycle. */
function staysPluggedIn(slot: string | undefined, now: VmOptions): Sending | undefined {
  return slot !== undefined && now[slot] === undefined ? { revert: [slot] } : undefined;
}

/** Reattaches a system disk that was detached, or that came with a template on the other bus. It is never created again, since Talos is on it. */
function systemDiskBack({ node }: MachineSpec, now: VmOptions, live: VmOptions): Sending {
  const pending = staysPluggedIn(systemDrive(node, live)?.slot, now);
  if (pending) return pending;
  const other = systemDrive({ controller: node.controller === "virtio" ? "virtio-scsi-pci" : "virtio" }, now);
  if (other && other.value.serial === undefined) return { unset: [other.slot] };
  const [volume, ...more] = unusedVolumes(now);
  if (volume === undefined || more.length > 0) return {};
  return { set: { [systemSlot(node)]: driveText({ file: volume }, node.diskFlags, busOf(node)) } };
}

function dataDiskText(spec: MachineSpec, disk: DataDisk): string {
  const { name, serial, wwn, storage, size, flags, keep } = disk;
  const file = keep ? spec.kept.get(name) : `${storage}:${size}`;
  if (file === undefined)
    throw internalError("KEPT_DISK", {
      message: `Unable to attach the kept disk ${name} of ${spec.node.name}: its volume was not created first`,
    });
  return driveText({ file, serial, ...(wwn !== undefined && { wwn }) }, flags, busOf(spec.node));
}

/** The property by which Talos finds the disk's volume, since it does not see the serial numbers of these disks. */
const WWN: MachineField = {
  name: "data disk wwn",
  config: "derived from disks[].volume or name",
  readsBack: "scsi1 …: `wwn=0x5525400…`; Talos finds the disk by it. Not with virtio",
  takesEffect: "restart",
  items: ({ node }) =>
    node.disks.flatMap((disk, at): FieldItem[] => {
      const { wwn } = disk;
      if (wwn === undefined) return [];
      return [
        {
          path: `disk ${disk.name} wwn`,
          setting: ["nodes", node.name, "disks", at],
          // A missing disk is reported by its own field.
          read: (options) => {
            const drive = dataDrive(disk, options);
            return drive ? (drive.value.wwn?.toLowerCase() ?? "none") : wwn;
          },
          want: wwn,
          send: (now) => {
            const drive = dataDrive(disk, now);
            return drive ? { set: { [drive.slot]: driveText({ ...drive.value, wwn }, disk.flags, busOf(node)) } } : {};
          },
        },
      ];
    }),
};

export const DISK_FIELDS: readonly MachineField[] = [
  {
    name: "system disk",
    config: "nodes[].controller",
    readsBack: "scsi0, with the controller virtio virtio0: `STORE:vm-1-disk-0,discard=on,size=40G,ssd=1`",
    takesEffect: "disk",
    items: (spec, { live }) => [
      {
        path: "system disk",
        setting: ["nodes", spec.node.name, "controller"],
        read: (options) => (systemDrive(spec.node, options) ? systemSlot(spec.node) : "none"),
        want: systemSlot(spec.node),
        send: (now) => systemDiskBack(spec, now, live),
      },
    ],
  },
  ...FLAGS.map(flagField),
  {
    name: "data disk",
    config: "nodes[].disks",
    readsBack: "scsi1 … or virtio1 …: `STORE:vm-1-disk-1,serial=models,size=500G`; identified by its serial, in any slot",
    takesEffect: "disk",
    items: (spec, { live }) =>
      spec.node.disks.map((disk, at) => ({
        path: `disk ${disk.name}`,
        setting: ["nodes", spec.node.name, "disks", at],
        read: (options) => (dataDrive(disk, options) ? described(disk) : "none"),
        want: described(disk),
        send: (now) => {
          const pending = staysPluggedIn(dataDrive(disk, live)?.slot, now);
          if (pending) return pending;
          const slot = slotsFor(spec.node, now).get(disk.serial);
          return slot === undefined ? {} : { set: { [slot]: dataDiskText(spec, disk) } };
        },
      })),
  },
  WWN,
  field(
    "cloud-init drive",
    {
      config: "always",
      readsBack: `${CLOUD_INIT}: \`STORE:vm-1-cloudinit,media=cdrom\`, with or without a size; it carries the address`,
      takesEffect: "restart",
    },
    {
      read: hasCloudInit,
      want: () => true,
      send: ({ node }) => ({ set: { [CLOUD_INIT]: `${node.storage}:cloudinit` } }),
    },
  ),
  {
    name: "boot",
    config: "always the system disk",
    readsBack: `boot: \`order=scsi0\`; \`${ISO_DRIVE}\` behind it is kept while it holds the medium that Talos installs itself from`,
    takesEffect: "restart",
    items: (spec) => [
      {
        path: "boot",
        read: (options) => bootOrder(options).join(", "),
        want: systemSlot(spec.node),
        // Proxmox refuses a boot order with a device that does not exist yet: then it is set in the next round.
        send: (now) => {
          if (Object.keys(now).length > 0 && !systemDrive(spec.node, now)) return {};
          const order = [systemSlot(spec.node), ...(installationIso(now) === undefined ? [] : [ISO_DRIVE])];
          return { set: { boot: `order=${order.join(";")}` } };
        },
      },
    ],
  },
];
