import type { RentedServer } from "@talosmith/lab/rescue/service.ts";
import type { RescueState } from "@talosmith/lab/rescue/state.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agree } from "../../src/cli/agree.ts";
import { folderWith } from "./commands.ts";
import { said } from "./invariants.ts";
import { RentedScene, type RentedWishes } from "./rented-scene.ts";

/* Servers that must not be overwritten. Each has its own message, and no byte of any disk changes. */

const disk = { device: "sda", gib: 40, content: "debian" as const };
const MAC = "02:00:00:00:00:99";

/** Server, the problem with it or with its config, and the message. */
const CASES: readonly {
  server: RentedServer;
  wishes?: RentedWishes;
  keys?: string;
  hostKey?: string;
  code: string;
  says: RegExp;
}[] = [
  {
    server: { name: "vps-system", address: 21, runs: "system" },
    hostKey: "first",
    code: "NOT_A_RESCUE_SYSTEM",
    says: /rescue system/,
  },
  {
    server: { name: "vps-mounted", address: 22, disks: [{ ...disk, serial: "S-vps-mounted", mounted: "/mnt" }] },
    code: "DISK_MOUNTED",
    says: /mounted at \/mnt[\s\S]*umount/,
  },
  {
    server: { name: "vps-serial", address: 23 },
    keys: "installDisk: { serial: ANOTHER }",
    code: "DISK_SERIAL",
    says: /ANOTHER[\s\S]*S-vps-serial/,
  },
  {
    server: { name: "vps-raid", address: 24, disks: [{ ...disk, serial: "S-vps-raid", content: "raid" }] },
    code: "DISK_MEMBER",
    says: /RAID[\s\S]*eraseMembers/,
  },
  {
    server: { name: "vps-data", address: 25 },
    keys: "",
    code: "OVERWRITE_UNCONFIRMED",
    says: /--yes does not cover[\s\S]*serial: "S-vps-data"/,
  },
  {
    server: { name: "vps-small", address: 26, disks: [{ ...disk, gib: 1, serial: "S-vps-small" }] },
    code: "DISK_TOO_SMALL",
    says: /1 GiB/,
  },
  {
    server: { name: "vps-arm", address: 27, arch: "arm64", firmware: "uefi" },
    wishes: { image: "arch: amd64" },
    code: "WRONG_ARCHITECTURE",
    says: /arm64[\s\S]*image\.arch/,
  },
  {
    server: { name: "vps-key", address: 28 },
    hostKey: "SHA256:Tm90aGluZyBpcyBiZWhpbmQgdGhpcyBvbmUsIG5vLjE",
    code: "SSH_HOST_KEY",
    says: /is not the known one/,
  },
  {
    server: { name: "vps-outside", address: 29 },
    wishes: { admin: "198.51.100.0/24" },
    code: "OUTSIDE_ADMIN",
    says: /127\.0\.0\.1[\s\S]*firewall\.admin/,
  },
  {
    server: { name: "vps-cards", address: 30, cards: [MAC, "02:00:00:00:00:98"] },
    code: "CARD",
    says: new RegExp(`mac: "?${MAC}`, "i"),
  },
  {
    server: { name: "vps-two", address: 31, disks: ["sda", "sdb"].map((device) => ({ ...disk, device, serial: `S-${device}` })) },
    keys: "",
    code: "AMBIGUOUS_DISK",
    says: /sda[\s\S]*sdb/,
  },
  {
    server: { name: "vps-readonly", address: 32, disks: [{ ...disk, serial: "S-vps-readonly", readonly: true }] },
    code: "DISK_READONLY",
    says: /read-only/,
  },
];

let scene: RentedScene;
beforeAll(async () => {
  scene = await RentedScene.open(
    "refusals",
    CASES.map(({ server }) => server),
  );
});
afterAll(() => scene.close());

const disks = () =>
  JSON.stringify(scene.lab.state<RescueState>("rescue").servers.map((server) => server.disks.map(({ blocks }) => blocks)));

test.each(CASES)("$code: $server.name is left unchanged", async ({ server, wishes = {}, keys, hostKey, code, says }) => {
  const node = { server: server.name, ...(keys !== undefined && { keys }), ...(hostKey !== undefined && { hostKey }) };
  const files = folderWith(scene.config({ ...wishes, nodes: [node] }));
  const before = disks();
  const up = await scene.up(files, { confirm: (plan) => agree(plan.result, { yes: true }, new AbortController().signal) });
  expect(up.exitCode, said(up)).toBe(1);
  const errors = up.events.flatMap((event) => (event.type === "error" ? [event.error] : []));
  const texts = errors.map((error) => [error.message, error.detail, error.hint].join("\n")).join("\n");
  expect(errors.map((error) => error.code).concat(texts)).toContain(code);
  expect(texts).toMatch(says);
  expect(texts).toMatch(/[Nn]othing was (written|changed|sent)/);
  expect(disks() === before, "a disk has changed").toBe(true);
});
