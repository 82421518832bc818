import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { writeContext } from "../../engine/context.ts";
import { protectionOf, removeMachine, removeVm } from "./machine-end.ts";
import { printMark } from "./mark.ts";
import type { FoundVm } from "./settled-vm.ts";
import type { Site } from "./site.ts";

const DOOMED = { environment: "life-1", cluster: "life", name: "worker-1", vmid: 100, host: "pve1" };
const OURS = printMark({
  ...{ environment: "life-1", cluster: "life", node: "worker-1" },
  ...{ vm: 100, role: "worker", address: "10.10.0.21" },
});

/** VM 100 on a simulated Proxmox host; changes are recorded in `calls`. */
class Host {
  status: "running" | "stopped" = "running";
  options: Record<string, string> = { description: OURS, scsi0: "local-lvm:vm-100-disk-0,size=8G" };
  readonly calls: string[] = [];
  isThere = true;
  deletedWith: object = {};
  stoppedWith: object = {};
  /** The task that does not end well: "stop" or "delete". */
  failing = "";
  /** Runs while the VM is being switched off. */
  meanwhile: () => void = () => {};

  get site(): Site {
    const upid = "UPID:pve1:0:0:0:qmstop:100:t@pve!t:";
    const get = async (path: string): Promise<unknown> => {
      if (path === "/nodes/pve1/qemu") return this.isThere ? [{ vmid: 100, status: this.status }] : [];
      if (path.endsWith("/pending")) return Object.entries(this.options).map(([key, value]) => ({ key, value }));
      const isFailing = this.calls.at(-1) === this.failing;
      if (path.endsWith("/status")) return { status: "stopped", exitstatus: isFailing ? "disk is busy" : "OK" };
      return [];
    };
    const post = async (path: string, params: object) => {
      this.stoppedWith = params;
      this.calls.push(path.split("/").at(-1) ?? "");
      this.status = "stopped";
      this.meanwhile();
      return upid;
    };
    const remove = async (_: string, params: object) => {
      this.calls.push("delete");
      this.deletedWith = params;
      return upid;
    };
    return { client: { get, post, delete: remove, identity: "t@pve!t" } } as unknown as Site;
  }

  remove(): Promise<void> {
    const c = writeContext(testSession(), "removal/worker-1", new Map());
    const listed = [{ node: "worker-1", slot: "scsi0", volume: "local-lvm:vm-100-disk-0" }];
    return removeVm(this.site, c, DOOMED, listed);
  }
}

test("a VM with this environment's mark is switched off and removed", async () => {
  const host = new Host();
  await host.remove();
  expect(host.calls).toEqual(["stop", "delete"]);
});

test("disks that a VM does not name stay when it is removed", async () => {
  const host = new Host();
  await host.remove();
  expect(host.deletedWith).toMatchObject({ "destroy-unreferenced-disks": 0 });
});

test("nothing is done to a VM that is gone already, nor to the next one that gets its number", async () => {
  const host = new Host();
  host.isThere = false;
  await host.remove();
  host.isThere = true;
  host.meanwhile = () => {
    host.isThere = false;
  };
  await host.remove();
  expect(host.calls).toEqual(["stop"]);
});

test.each([
  ["has no mark any more", { description: "mine now" }],
  ["is another environment's", { description: OURS.replace("life-1", "life-2") }],
  ["is a cluster's of another name", { description: OURS.replace('"cluster":"life"', '"cluster":"copy"') }],
  ["is a copy, whose mark names another VM", { description: OURS.replace('"vm":100', '"vm":101') }],
])("a VM that %s is neither switched off nor removed", async (_, options) => {
  const host = new Host();
  Object.assign(host.options, options);
  await expect(host.remove()).rejects.toMatchObject({ code: "NOT_OURS" });
  expect(host.calls).toEqual([]);
});

test.each([
  ["whose mark was taken off", { description: "mine now" }, "NOT_OURS"],
  ["that a disk was attached to", { scsi5: "local-lvm:vm-100-disk-1,size=1G" }, "WORLD_CHANGED"],
])("a VM %s while it was switched off is not removed", async (_, options, code) => {
  const host = new Host();
  host.meanwhile = () => Object.assign(host.options, options);
  await expect(host.remove()).rejects.toMatchObject({ code });
  expect(host.calls).toEqual(["stop"]);
});

test.each([
  ["the config has and does not protect", [{ name: "worker-1", protection: false }]],
  ["the config does not have any more", []],
])("a machine that %s is not removed while it is protected in Proxmox", (_, nodes) => {
  const site = { env: { config: { nodes }, where: () => undefined } } as unknown as Site;
  const vm = (next: Record<string, string>) => ({ vmid: 100, host: "pve1", config: { next } }) as unknown as FoundVm;
  expect(protectionOf(site, "worker-1", vm({ protection: "1" }))).toMatchObject({
    code: "PROTECTED",
    detail: "VM 100 on pve1 has Proxmox's protection switched on",
  });
  expect(protectionOf(site, "worker-1", vm({}))).toBeUndefined();
});

const LISTED = [{ node: "worker-1", slot: "scsi0", volume: "local-lvm:vm-100-disk-0" }];

/** Removes the machine in the place of worker-1; its host goes on to list it for as many looks. */
async function endOfPlace(host: Host, place: object, looksAfterwards = 0) {
  const { client } = host.site;
  const forgotten: string[] = [];
  let left = looksAfterwards;
  const get: typeof client.get = async (path, ...rest) => {
    if (path === "/nodes/pve1/qemu" && host.calls.includes("delete") && left-- <= 0) host.isThere = false;
    return client.get(path, ...rest);
  };
  const site = {
    client: { ...client, get },
    env: { config: { cluster: { name: "life" } } },
    places: {
      find: async () => ({ vmid: 100, host: "pve1", stuck: [], ...place }),
      forget: (name: string) => forgotten.push(name),
    },
  } as unknown as Site;
  const c = writeContext(testSession({ timeScale: 1000 }), "machine/worker-1", new Map());
  await removeMachine(site, c, "life-1", "worker-1", LISTED);
  return { forgotten, left };
}

test("a machine counts as removed when its host lists it no longer, and its place is looked for again", async () => {
  const host = new Host();
  expect(await endOfPlace(host, { machine: {} }, 3)).toEqual({ forgotten: ["worker-1"], left: -1 });
  expect(host.calls).toEqual(["stop", "delete"]);
});

test("where a node has no machine, a VM with its number is left untouched", async () => {
  const host = new Host();
  await endOfPlace(host, {});
  expect(host.calls).toEqual([]);
});

test("a VM is switched off at once: a shutdown that hangs is overruled", async () => {
  const host = new Host();
  await host.remove();
  expect(host.stoppedWith).toMatchObject({ "overrule-shutdown": 1 });
});

test("a VM that is off already is removed without a stop", async () => {
  const host = new Host();
  host.status = "stopped";
  await host.remove();
  expect(host.calls).toEqual(["delete"]);
});

test.each([
  ["stop", ["stop"]],
  ["delete", ["stop", "delete"]],
])("a task of Proxmox that fails to %s a VM ends the removal with its words", async (failing, calls) => {
  const host = new Host();
  host.failing = failing;
  await expect(host.remove()).rejects.toMatchObject({ code: "PROXMOX_TASK", detail: expect.stringContaining("disk is busy") });
  expect(host.calls).toEqual(calls);
});

test("a VM that a dead task left half made is not removed", async () => {
  const host = new Host();
  host.options = { lock: "create" };
  await expect(host.remove()).rejects.toMatchObject({ code: "NOT_OURS" });
  expect(host.calls).toEqual([]);
});

test("a machine that the config protects is not removed, and the error names the line", () => {
  const where = (path: readonly unknown[]) => ({ file: "config.yaml", line: 7, path });
  const nodes = [
    { name: "cp-1", protection: false },
    { name: "worker-1", protection: true },
  ];
  const site = { env: { config: { nodes }, where } } as unknown as Site;
  const of = (name: string, protection: string) =>
    protectionOf(site, name, { vmid: 100, host: "pve1", config: { next: { protection } } } as unknown as FoundVm);
  const byConfig = { detail: "the config says protection: true", where: { line: 7, path: ["nodes", "worker-1", "protection"] } };
  expect(of("worker-1", "0")).toMatchObject(byConfig);
  expect(of("worker-1", "1")).toMatchObject(byConfig);
  expect(of("cp-1", "0")).toBeUndefined();
  expect(of("cp-1", "1")?.where).toBeUndefined();
});

test("the hint for a machine protected in Proxmox is to run up while the config has it, and how to unprotect it otherwise", () => {
  const site = { env: { config: { nodes: [{ name: "cp-1", protection: false }] }, where: () => undefined } } as unknown as Site;
  const vm = { vmid: 100, host: "pve1", config: { next: { protection: "1" } } } as unknown as FoundVm;
  expect(protectionOf(site, "cp-1", vm)?.hint).toContain("talosmith up");
  expect(protectionOf(site, "worker-1", vm)?.hint).toContain("qm set 100 --protection 0");
});
