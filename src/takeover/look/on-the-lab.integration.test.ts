import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { type RentedServer, rescueService } from "@talosmith/lab/rescue/service.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeDisk } from "../judge/describe.ts";
import { judge } from "../judge/judge.ts";
import { openShell } from "../open-shell.ts";
import type { Survey } from "../survey.ts";
import { surveyServer } from "./survey-server.ts";

const servers: RentedServer[] = [
  {
    name: "plain",
    address: 11,
    gateway: 1,
    firmware: "uefi",
    cards: ["02:00:00:00:00:11"],
    disks: [
      { device: "sda", gib: 40, serial: "VPS-0001", content: "debian" },
      { device: "sdb", gib: 20, serial: "VPS-0002", content: "blank" },
    ],
  },
  {
    name: "mounted",
    address: 12,
    gateway: 1,
    network: "dhcp",
    disks: [{ device: "sda", gib: 40, serial: "M", content: "debian", mounted: "/mnt" }],
  },
  {
    name: "raid",
    address: 13,
    gateway: 1,
    tools: "busybox",
    disks: [{ device: "nvme0n1", gib: 40, serial: "R", content: "raid" }],
  },
  {
    name: "system",
    address: 14,
    gateway: 1,
    runs: "system",
    disks: [{ device: "vda", gib: 40, serial: "S", content: "debian" }],
  },
];

let lab: RunningLab;
beforeAll(async () => {
  lab = await createLab(realWorld({ timeScale: 1 }), {
    seed: "survey",
    timeScale: "instant",
    services: [rescueService({ servers })],
  });
  await lab.start();
});
afterAll(() => lab.close());

async function look(name: string): Promise<{ survey: Survey; codes: string[] }> {
  const facts = lab.published().rescue as Record<string, string>;
  const address = facts[`address ${name}`] ?? "";
  const shell = await openShell(realWorld(), {
    host: address,
    port: 2222,
    user: "root",
    key: new Redactor().secret(facts.key ?? ""),
    firstKey: true,
  });
  const survey = await surveyServer(shell, AbortSignal.timeout(20_000));
  shell.close();
  const wish = {
    name,
    address,
    secureboot: false,
    eraseMembers: false,
    onlyCard: true,
    admin: ["127.0.0.0/8"],
    where: () => undefined,
  };
  const judged = judge(survey, wish);
  return { survey, codes: judged.is === "fit" ? ["fit"] : judged.problems.map(({ code }) => code) };
}

test("with two disks, the content of each is described and none is chosen", async () => {
  const { survey, codes } = await look("plain");
  expect(survey.disks.map(describeDisk)).toEqual([
    expect.stringMatching(/^\/dev\/sda 40 GiB .*\(serial VPS-0001\): gpt with \d partitions \(.*ext4/),
    expect.stringMatching(/^\/dev\/sdb 20 GiB .*\(serial VPS-0002\): blank$/),
  ]);
  expect(survey.firmware).toBe("uefi");
  expect(survey.network.cards).toMatchObject([{ mac: "02:00:00:00:00:11", dhcp: false }]);
  expect(survey.network.gateway).toMatch(/\.1$/);
  expect(codes).toEqual(["AMBIGUOUS_DISK"]);
});

test("a disk that the rescue system mounted, and an address from DHCP", async () => {
  const { survey, codes } = await look("mounted");
  expect(survey.disks[0]).toMatchObject({ mountpoints: ["/mnt"], release: ["umount /mnt"], holdsData: true });
  expect(survey.network.cards).toMatchObject([{ dhcp: true }]);
  expect(codes).toEqual(["DISK_MOUNTED"]);
});

test("a member of a RAID that does not run, without lsblk and blkid", async () => {
  const { survey, codes } = await look("raid");
  expect(survey.disks[0]?.inUse).toEqual([]);
  expect(survey.disks[0]?.members.join()).toMatch(/^RAID/);
  expect(codes).toEqual(["DISK_MEMBER"]);
});

test("a server that runs from its disk", async () => {
  const { survey, codes } = await look("system");
  expect(survey).toMatchObject({ rootDisk: "vda", rootFilesystem: "ext4" });
  expect(codes).toEqual(["NOT_A_RESCUE_SYSTEM"]);
});
