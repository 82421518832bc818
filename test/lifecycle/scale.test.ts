import { factoryService } from "@talosmith/lab/factory/service.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import type { ProxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { virtual } from "../../bench/pace.ts";
import { type Ran, Site } from "../../bench/site.ts";
import type { ConfigWishes } from "../support/config.ts";
import { lockErrors } from "../support/lock-errors.ts";
import { FULL } from "./sample.ts";

/*
 * Thirty machines on three hosts at once, with cloned disks, and with a storage that has one lock for all hosts: there they compete most. In
 * virtual time, so that a slow computer does not wait longer for a lock; `npm run bench -- scale` has the numbers.
 */

const STORAGES = [{ id: "ceph", type: "rbd", totalGiB: 4000 }] as const;
/** Clones wait for the same locks as imported disks. */
const CLONES = ["linked clones", { method: "template", clone: "linked" }] as const;
const WAYS: readonly (readonly [string, ConfigWishes])[] = [
  ["disks on a shared storage", { method: "import", disks: "ceph" }],
  ...(FULL ? [CLONES] : []),
];

/** Events with messages about locks. */
const aboutLocks = ({ events }: Ran) =>
  events.filter(({ event }) => /got timeout|lock request|VM is locked/.test(JSON.stringify(event)));

describe.each(WAYS)("thirty machines: %s", (_, wishes) => {
  const pace = virtual({ rings: false });
  let site: Site;
  beforeAll(async () => {
    const services = [factoryService({ buildMs: 3_000 }), proxmoxService({ storages: STORAGES })];
    site = await Site.open(pace, { controlPlanes: 3, workers: 27, ...wishes }, services);
  });
  afterAll(async () => {
    await site.close();
    pace.end();
  });

  test("created at once, each gets every lock in time", async () => {
    const ran = await site.up({ from: "preflight", until: "provision" });
    expect([aboutLocks(ran), lockErrors(site.lab)]).toEqual([[], 0]);
    const machines = Object.values(site.lab.state<ProxmoxState>("proxmox").vms).filter((vm) => vm.power);
    expect(["pve1", "pve2", "pve3"].map((host) => machines.filter((vm) => vm.node === host).length)).toEqual([10, 10, 10]);
  });

  test("removed at once, no guest is shut down, and only templates are left", async () => {
    const ran = await site.down();
    expect([aboutLocks(ran), lockErrors(site.lab)]).toEqual([[], 0]);
    expect(site.calls.by("down").filter((call) => /\/status\/(shutdown|reboot)$/.test(call.site))).toEqual([]);
    const { vms, volumes } = site.lab.state<ProxmoxState>("proxmox");
    expect(Object.values(vms).filter((vm) => vm.config.template !== "1")).toEqual([]);
    expect(volumes.filter(({ name }) => name.startsWith("vm-"))).toEqual([]);
    expect(ran.to - ran.from, "in virtual milliseconds: guests that are waited for take minutes").toBeLessThan(60_000);
  });
});
