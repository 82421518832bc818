import { type ProxmoxState, proxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { runOnHost } from "@talosmith/lab/ssh/shell.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTurn } from "../../../../test/lifecycle/sample.ts";
import { testSession } from "../../../../test/support/toy.ts";
import { readContext } from "../../../engine/context.ts";
import type { Finding } from "../../../engine/step.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import type { Inventory } from "../../platform.ts";
import { checks } from "../doctor/checks.ts";
import { openSite, type Site } from "../site.ts";
import { ENVIRONMENT } from "../testing/environment-id.ts";
import { platformLab, type Wishes } from "../testing/platform-lab.ts";
import { testNode } from "../testing/test-node.ts";
import { grantCommands, toBeGiven } from "./grant.ts";
import { rightsNeeded } from "./needed.ts";
import { releaseOf } from "./release.ts";
import type { Right } from "./right.ts";
import { callFor } from "./testing/call-for.ts";

/*
 * The set of rights is held honest from both sides: with exactly these everything is made, and without any one of them the call it is for is refused, the
 * doctor names it, and what it prints, typed by root, mends it. The lab decides what needs what (docs/facts/proxmox.md#privileges-per-option), not this test.
 */

const flags = { discard: true, ssd: true, iothread: false, backup: true };
const kept = { name: "models", serial: "models", size: 2, storage: "local-lvm", flags, keep: true };
const cp = testNode({ name: "cp-1", role: "controlplane", ip: "10.10.0.11", vlan: 10, startup: { order: 1 } });
const gpu = testNode({
  name: "gpu-1",
  ip: "10.10.0.31",
  host: "pve1",
  pool: "prod",
  vlan: 10,
  firmware: "ovmf",
  tpm: true,
  gpu: "nvidia",
  pci: [{ mapping: "rtx3090" }],
  usb: [{ mapping: "key" }],
  nics: [{ ip: [], dhcp: true, routes: [], vlans: [], bridge: "vmbr1", firewall: false }],
  disks: [kept],
});
const { startup: _, ...unordered } = cp;
const VARIANTS: Record<string, Wishes> = {
  "templates, start order, devices, and a pool beside machines outside of it": {
    nodes: [cp, gpu],
    hosts: ["pve1", "pve2"],
    image: { method: "template" },
  },
  "an ISO, and all machines in a pool": {
    nodes: [
      { ...unordered, pool: "prod" },
      { ...gpu, disks: [] },
    ],
    image: { method: "iso" },
  },
  "an imported image, a kept disk, and all machines in a pool": { nodes: [{ ...unordered, pool: "prod" }, gpu] },
};

const session = { ...testSession(), world: realWorld() };
const NOTHING: Inventory = { environment: ENVIRONMENT, owned: [], there: new Set(), foreign: [] };

async function opened(version: string, wishes: Wishes) {
  const bench = await platformLab({ version, gpus: { pve1: ["nvidia rtx 3090"] }, bridges: ["vmbr0", "vmbr1"] });
  const { lab, root } = bench;
  await root.call("POST", "/pools", { poolid: "prod" });
  const pci = (await root.call("GET", "/nodes/pve1/hardware/pci")) as Record<string, string | number>[];
  const card = pci.find((one) => one.vendor === "0x10de" && one.class === "0x030000");
  const plain = (value: unknown) => String(value).replace("0x", "");
  const ids = `id=${plain(card?.vendor)}:${plain(card?.device)},subsystem-id=${plain(card?.subsystem_vendor)}:${plain(card?.subsystem_device)}`;
  await root.call("POST", "/cluster/mapping/pci", {
    id: "rtx3090",
    map: `node=pve1,path=${card?.id},${ids},iommugroup=${card?.iommugroup}`,
  });
  const usb = (await root.call("GET", "/nodes/pve1/hardware/usb")) as Record<string, string>[];
  await root.call("POST", "/cluster/mapping/usb", { id: "key", map: `node=pve1,id=${usb[0]?.vendid}:${usb[0]?.prodid}` });
  await root.call("POST", "/nodes/pve1/qemu", { vmid: 555, name: "foreign" });
  const state = proxmoxState(lab);
  state.access.acl = [];
  state.access.roles = {};
  const token = state.access.users["talosmith@pve"]?.tokens.lab;
  if (token) token.privsep = true;
  const site = openSite(session.world, bench.environment(wishes), {
    probe: async () => ({ is: "silent", why: "nobody" }),
  } as unknown as TalosNodes);
  const needed = toBeGiven(rightsNeeded(site.env.config, releaseOf(version)), new Map());
  return { bench, lab, root, site, needed };
}

type Opened = Awaited<ReturnType<typeof opened>>;

async function typed(lab: Opened["lab"], commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const ended = await runOnHost(lab, "pve1", command);
    expect([command, ended.code, ended.stderr]).toEqual([command, 0, ""]);
  }
}

/** The findings of the checks that name missing rights. */
async function findings(site: Site): Promise<Finding[]> {
  const pass = new Map();
  const naming = checks(site, NOTHING).filter(({ id, before }) => !before || /storages|bridges/.test(id));
  const all = naming.map((check) => check.run(readContext(session, check.id, new Map(), pass)));
  return (await Promise.all(all)).flat();
}

/** The rights that findings name, such as "VM.Clone on /vms". */
const namedIn = (all: readonly Finding[]) =>
  all
    .filter(({ code }) => code.startsWith("RIGHTS_"))
    .flatMap(({ message }) => message.split("\n").slice(1))
    .map((line) => line.trim().split("  ")[0]);

const commandsIn = (all: readonly Finding[]) =>
  all.filter(({ code }) => code.startsWith("RIGHTS_")).flatMap(({ hint }) => hint?.split("\n").slice(1) ?? []);

/** Removes a privilege from all logins at one path, as if it had never been granted there. */
function without(state: ProxmoxState, { privilege, path }: Right): void {
  const here = state.access.acl.filter((entry) => entry.path === path);
  const rest = new Set(here.flatMap(({ role }) => state.access.roles[role] ?? []).filter((one) => one !== privilege));
  state.access.roles.Less = [...rest];
  const subjects = new Map(here.map((entry) => [entry.id, entry]));
  state.access.acl = [
    ...state.access.acl.filter((entry) => entry.path !== path),
    ...[...subjects.values()].map((entry) => ({ ...entry, role: "Less" })),
  ];
}

describe.each(["8.4.21", "9.2.11"])("on Proxmox VE %s", (version) => {
  describe.each(Object.keys(VARIANTS))("with %s", (variant) => {
    const wishes = VARIANTS[variant] as Wishes;
    let it: Opened;
    let whole: string;
    beforeAll(async () => {
      it = await opened(version, wishes);
    });
    afterAll(async () => {
      it?.site.client.close();
      await it?.bench.close();
    });

    test("a login without privileges gets all missing ones at once, and the printed commands grant them", async () => {
      const { site, lab, needed } = it;
      const told = await findings(site);
      expect(namedIn(told).sort()).toEqual(needed.map(({ privilege, path }) => `${privilege} on ${path}`).sort());
      await typed(lab, commandsIn(told));
      expect((await findings(site)).filter(({ level }) => level !== "ok")).toEqual([]);
      whole = JSON.stringify(proxmoxState(lab).access);
    });

    test("exactly these rights are enough to make everything, and for a second plan that is empty", async () => {
      await it.bench.up(wishes);
      expect(await it.bench.plan(wishes)).toMatchObject({ changes: [], errors: [] });
    });

    test("without any one of them its call is refused, doctor names it, and the printed commands fix it", async () => {
      const { site, lab, needed } = it;
      const state = proxmoxState(lab);
      for (const right of inTurn(needed, 3)) {
        const name = `${right.privilege} on ${right.path}`;
        without(state, right);
        expect([name, await callFor(right, it.bench, site)]).toEqual([name, expect.stringContaining("Permission check failed")]);
        const told = await findings(site);
        expect(namedIn(told)).toEqual([name]);
        await typed(lab, commandsIn(told));
        expect([name, (await findings(site)).filter(({ level }) => level !== "ok")]).toEqual([name, []]);
        state.access = JSON.parse(whole);
      }
    });
  });
});

test.each(["8.4.21", "9.2.11"])(
  "on Proxmox VE %s everything is made without those that only help: images are uploaded",
  async (version) => {
    const wishes: Wishes = { nodes: [unordered, gpu] };
    const { bench, lab, site, needed } = await opened(version, wishes);
    const must = needed.filter((right) => right.without === undefined);
    expect(must.length).toBeLessThan(needed.length);
    await typed(lab, grantCommands(must, must, { identity: site.client.identity, permissions: new Map(), roles: new Map() }));
    expect((await findings(site)).filter(({ level }) => level === "fail")).toEqual([]);
    await bench.up(wishes);
    expect(proxmoxState(lab).tasks.map(({ type }) => type)).toContain("imgcopy");
    site.client.close();
    await bench.close();
  },
);

test("commands for everything can be typed one after the other", () => {
  const config = {
    nodes: [cp, gpu],
    image: { method: "template" },
    proxmox: { hosts: ["pve1"], storage: { images: "local" } },
  } as never;
  const needed = rightsNeeded(config, releaseOf("9.2.11"));
  const commands = grantCommands(needed, needed, { identity: "a@pve!b", permissions: new Map(), roles: new Map() });
  expect(commands.findLastIndex((command) => command.includes(" role "))).toBeLessThan(
    commands.findIndex((command) => command.includes(" acl ")),
  );
});
