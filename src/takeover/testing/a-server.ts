import type { TakeoverWish } from "../judge/wish.ts";
import type { Survey, SurveyedCard, SurveyedDisk } from "../survey.ts";
import { BLANK_DISK } from "./blank-disk.ts";

export const GIB = 1024 ** 3;

/** A server as a survey finds it, in a rescue system, and what the config asks of it: it may be taken over. */
export const aDisk = (own: Partial<SurveyedDisk> = {}): SurveyedDisk => ({
  ...BLANK_DISK,
  path: `/dev/${own.name ?? "sda"}`,
  model: "QEMU HARDDISK",
  serial: "VPS-0001",
  ...own,
});

/** A disk of which neither serial nor wwid is known. */
export const aNamelessDisk = (own: Partial<SurveyedDisk> = {}): SurveyedDisk => {
  const { serial: _, ...nameless } = aDisk(own);
  return nameless;
};

export const aCard = (own: Partial<SurveyedCard> = {}): SurveyedCard => ({
  name: "eth0",
  mac: "BC:24:11:00:00:01",
  addresses: ["203.0.113.11/24"],
  dhcp: false,
  ...own,
});

export const aServer = (own: Partial<Survey> = {}): Survey => ({
  from: "198.51.100.7",
  hostname: "rescue",
  rootFilesystem: "overlay",
  cmdline: "",
  arch: "amd64",
  firmware: "uefi",
  secureBoot: false,
  memoryBytes: 4 * GIB,
  disks: [aDisk()],
  network: { cards: [aCard()], main: "eth0", gateway: "203.0.113.1", nameservers: [] },
  tools: new Set(),
  ...own,
});

export const aWish = (own: Partial<TakeoverWish> = {}): TakeoverWish => ({
  name: "vps-1",
  address: "203.0.113.11",
  secureboot: false,
  eraseMembers: false,
  onlyCard: true,
  admin: ["198.51.100.0/24"],
  where: (path) => ({ file: path.join("."), line: 1, column: 1 }),
  ...own,
});
