import { pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Report } from "../report.ts";
import { type Check, type Facts, placesOfSetting } from "./facts.ts";

/** What describes a machine that is made. */
const OF_MADE_MACHINES = [
  ..."host cores sockets numa cpu cpuFlags cpuUnits affinity memory balloon hugepages machine firmware tpm".split(" "),
  ..."disk disks diskFlags controller storage bridge pci usb serial display agent".split(" "),
  ..."tags onboot startup pool protection description vmid".split(" "),
];
/** Of a network card. */
const OF_MADE_CARDS = ["bridge", "vlan", "queues", "firewall"];

/** How their images get onto them. */
const IMAGE = {
  metal: "start the machines from the factory's metal image yourself",
  vps: "the factory's metal image is written to the servers' disks",
} as const;

/** Where there are machines already, nothing is said about machines to be made. */
export const existingMachines: Check = (facts, report) => {
  const { platform } = facts.draft;
  if (platform !== "metal" && platform !== "vps") return;
  if (report.has(["proxmox"]))
    report.problem(["proxmox"], {
      message: `proxmox is set, and platform is ${platform}`,
      hint: "remove the section, or set platform: proxmox",
      on: "key",
    });
  for (const key of ["method", "clone"])
    if (report.has(["image", key]))
      report.problem(["image", key], {
        message: `image.${key} is how machines are made, and platform ${platform} makes none`,
        hint: `remove it: ${IMAGE[platform]}`,
        on: "key",
      });
  noMadeMachines(facts, platform, report);
  noMadeCards(facts, platform, report);
};

function noMadeMachines(facts: Facts, platform: string, report: Report): void {
  for (const path of OF_MADE_MACHINES.flatMap((key) => placesOfSetting(facts, key)))
    if (report.has(path))
      report.problem(path, {
        message: `${pathName(path)} describes a machine to be made, and platform ${platform} makes none`,
        hint: "remove it: the machine is what it is",
        on: "key",
      });
}

function noMadeCards({ pools }: Facts, platform: string, report: Report): void {
  for (const { settings, origin } of pools)
    for (const index of (settings.nics ?? []).keys())
      for (const key of OF_MADE_CARDS) {
        const path = [...origin("nics"), index, key];
        if (report.has(path))
          report.problem(path, {
            message: `${pathName(path)} describes a card to be made, and platform ${platform} makes none`,
            hint: key === "vlan" ? "write vlans: [{ id: 20, ip: … }] for a VLAN on the card" : "remove it",
            on: "key",
          });
      }
}
