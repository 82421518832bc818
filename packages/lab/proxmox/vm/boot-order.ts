import { splitList } from "../parameters/schema.ts";
import { type Drive, isCdrom, isDriveKey, parseDrive } from "./drive.ts";
import { isNicKey } from "./nic.ts";

/** The devices in "order=scsi0;ide2;net0"; none for the legacy format. */
export function parseBootOrder(boot: string | undefined): string[] {
  return splitList(/(?:^|,)order=([^,]*)/.exec(boot ?? "")?.[1]);
}

/** Without devices the file has "boot: ", which is read back as a blank. */
export function printBootOrder(devices: readonly string[]): string {
  if (devices.length === 0) return " ";
  return `order=${devices.join(";")}`;
}

/** Disks that a running machine cannot release: CDs included, networks not. */
export function bootDisks({ boot, bootdisk }: Readonly<Record<string, string>>): string[] {
  if (boot === undefined || /^(?:legacy=)?[acdn]{1,4}$/.test(boot)) return bootdisk === undefined ? [] : [bootdisk];
  return parseBootOrder(boot).filter(isDriveKey);
}

const BUSES = ["ide", "scsi", "virtio", "sata"];

/** The default: the first disk, the first CD, the first network card (docs/facts/proxmox.md#boot-order). */
export function defaultBootOrder(config: Readonly<Record<string, string>>): string {
  const drives = Object.keys(config)
    .filter((key) => isDriveKey(key) && BUSES.some((bus) => key.startsWith(bus)))
    .sort(byBusAndNumber)
    .map((key): [string, Drive] => [key, parseDrive(key, config[key] as string)]);
  const disk = drives.find(([, drive]) => !isCdrom(drive))?.[0];
  const cdrom = drives.find(([, drive]) => isCdrom(drive))?.[0];
  const nic = Object.keys(config).filter(isNicKey).sort(byBusAndNumber)[0];
  return printBootOrder([disk, cdrom, nic].filter((device) => device !== undefined));
}

function byBusAndNumber(a: string, b: string): number {
  const place = (key: string) => {
    const [, bus = "", number = ""] = /^([a-z]+)(\d+)$/.exec(key) ?? [];
    return BUSES.indexOf(bus) * 1000 + Number(number);
  };
  return place(a) - place(b);
}
