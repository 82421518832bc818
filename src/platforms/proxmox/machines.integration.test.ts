import { setHostOnline } from "@talosmith/lab/proxmox/host-power.ts";
import { proxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { afterEach, expect, test } from "vitest";
import { changesOf, errorsOf } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import type { DataDisk, ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { type PlatformLab, platformLab } from "./testing/platform-lab.ts";
import { testNode } from "./testing/test-node.ts";

let lab: PlatformLab;
afterEach(() => lab.close());

const flags = { discard: true, ssd: true, iothread: false, backup: true } as const;
const kept: DataDisk = { name: "models", serial: "models", size: 4, storage: "local-lvm", flags, keep: true };
const worker = (own: Partial<ProxmoxNodeConfig> = {}) => testNode({ name: "worker-1", disk: 8, ...own });

const keptVolumes = () =>
  proxmoxState(lab.lab)
    .volumes.filter(({ name }) => name.includes("life-12345678_"))
    .map(({ storage, name, node }) => `${node ?? ""} ${storage}:${name}`);

test("a kept disk outlives its machine and is found again by the next one, and by one that replaces it", async () => {
  lab = await platformLab();
  const nodes = [worker({ disks: [kept] })];
  await lab.up({ nodes });
  const [volume] = keptVolumes();
  expect(keptVolumes()).toHaveLength(1);
  await lab.down({ nodes });
  expect(await lab.root.vms()).toEqual([]);
  expect(keptVolumes()).toEqual([volume]);
  await lab.up({ nodes });
  expect((await lab.plan({ nodes })).changes).toEqual([]);
  const moved = [worker({ disks: [kept], ip: "10.10.0.99" })];
  await lab.up({ nodes: moved });
  expect(keptVolumes()).toEqual([volume]);
  const { config } = await lab.vm("worker-1");
  expect(config.scsi1).toContain(volume?.split(" ")[1]);
  expect(await lab.plan({ nodes: moved })).toEqual({ changes: [], notes: [], errors: [] });
});

test("a machine that is removed in Proxmox leaves its kept disks, and disks without a machine are reported", async () => {
  lab = await platformLab();
  const nodes = [worker({ disks: [kept] })];
  await lab.up({ nodes });
  const before = keptVolumes();
  const { path } = await lab.vm("worker-1");
  await lab.root.task("POST", `${path}/status/stop`);
  await lab.root.task("DELETE", path, { purge: 1, "destroy-unreferenced-disks": 1 });
  expect(keptVolumes()).toEqual(before);
  const { found, close } = await lab.planned({ nodes });
  close();
  expect(found.kept).toEqual([before[0]?.split(" ")[1]]);
});

test("a machine is created where its kept disk is; a config with another host fails with both hosts", async () => {
  lab = await platformLab();
  const hosts = ["pve1", "pve2"];
  await lab.up({ hosts, nodes: [worker({ disks: [kept], host: "pve2" })] });
  await lab.down({ hosts, nodes: [worker({ disks: [kept], host: "pve2" })] });
  const { errors } = await lab.plan({ hosts, nodes: [worker({ disks: [kept], host: "pve1" })] });
  expect(errors).toEqual(["KEPT_DISK_ELSEWHERE Unable to make worker-1 on pve1: its kept disk models is on pve2"]);
  await lab.up({ hosts, nodes: [worker({ disks: [kept] })] });
  expect((await lab.vm("worker-1")).node).toBe("pve2");
  expect(keptVolumes()).toHaveLength(1);
});

test("on a storage of files a kept disk is a file with the ending of its format", async () => {
  lab = await platformLab();
  await lab.root.call("PUT", "/storage/local", { content: "images,import,iso" });
  const nodes = [worker({ disks: [{ ...kept, storage: "local" }] })];
  await lab.up({ nodes });
  expect(keptVolumes()[0]).toMatch(/ local:(\d+)\/vm-\1-life-12345678_worker-1_models\.raw$/);
  expect((await lab.plan({ nodes })).changes).toEqual([]);
});

const three = (own: Partial<ProxmoxNodeConfig> = {}) =>
  ["pve1", "pve2", "pve3"].map((host, at) => worker({ name: `worker-${at + 1}`, ip: `10.10.0.2${at + 1}`, host, ...own }));
const hosts = ["pve1", "pve2", "pve3"];

test("a machine whose host is down is not made a second time; its step fails with the host's name, and the others go on", async () => {
  lab = await platformLab();
  // One after the other: downloads side by side starve a lab whose time runs two thousand times faster than ours.
  for (const count of [1, 2, 3]) await lab.up({ hosts, nodes: three().slice(0, count) });
  setHostOnline(lab.lab, "pve3", false);
  const wishes = { hosts, nodes: three({ cores: 2 }) };
  expect(await lab.plan(wishes)).toMatchObject({
    changes: ["restart cores: 4 → 2", "restart cores: 4 → 2", "update host: pve3 is offline → pve3 answers"],
    errors: [],
  });
  const results = await lab.run(wishes);
  expect(results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(
    expect.arrayContaining(["machine/worker-1 changed", "machine/worker-2 changed", "machine/worker-3 failed"]),
  );
  expect(JSON.stringify(results.find(({ id }) => id === "machine/worker-3"))).toContain("HOST_OFFLINE");
  expect(Object.keys(proxmoxState(lab.lab).vms)).toHaveLength(3);
  const { found, close } = await lab.planned(wishes, true);
  close();
  expect(found.owned.map(({ name, state }) => `${name} ${state}`)).toEqual([
    "worker-1 running",
    "worker-2 running",
    "worker-3 unreachable",
  ]);
  setHostOnline(lab.lab, "pve3", true);
  await lab.up(wishes);
  expect((await lab.plan(wishes)).changes).toEqual([]);
});

test("a machine is observed although the cluster reports its host as unknown, because pvestatd hangs", async () => {
  lab = await platformLab();
  await lab.up({ hosts, nodes: three() });
  const host = proxmoxState(lab.lab).hosts.find(({ name }) => name === "pve2");
  if (host) host.figuresMissing = true;
  expect(await lab.plan({ hosts, nodes: three() })).toEqual({ changes: [], notes: [], errors: [] });
});

test("a pending detachment of disks is reverted without a power cycle", async () => {
  lab = await platformLab();
  const nodes = [worker({ disks: [{ ...kept, keep: false }] })];
  await lab.up({ nodes });
  const { path, vmid, config } = await lab.vm("worker-1");
  const vm = () => proxmoxState(lab.lab).vms[vmid];
  const { volumes } = structuredClone(proxmoxState(lab.lab));
  const running = vm()?.power;
  await lab.root.call("PUT", `${path}/config`, { hotplug: "network,usb" });
  await lab.root.call("PUT", `${path}/config`, { delete: "scsi0,scsi1" });
  expect(Object.keys(vm()?.pendingDelete ?? {}).sort()).toEqual(["scsi0", "scsi1"]);
  await lab.up({ nodes });
  expect(vm()).toMatchObject({ pending: {}, pendingDelete: {}, power: running });
  expect((await lab.vm("worker-1")).config).toMatchObject({ scsi0: config.scsi0, scsi1: config.scsi1, boot: config.boot });
  expect(proxmoxState(lab.lab).volumes).toEqual(volumes);
  expect((await lab.plan({ nodes })).changes).toEqual([]);
});

test("a machine that was migrated is followed, not made again", async () => {
  lab = await platformLab();
  const wishes = { hosts, nodes: [worker({ host: "pve1" })] };
  await lab.up(wishes);
  const { path } = await lab.vm("worker-1");
  await lab.root.task("POST", `${path}/migrate`, { target: "pve2", online: 1, "with-local-disks": 1 });
  expect(await lab.plan(wishes)).toEqual({
    changes: [],
    errors: [],
    notes: ["worker-1: runs on pve2, config says pve1; kept there (it was migrated)"],
  });
});

test("a protected machine is neither removed nor replaced, and the line of the config that says so is named", async () => {
  lab = await platformLab();
  const nodes = [worker({ protection: true })];
  await lab.up({ nodes });
  const { plan, close } = await lab.planned({ nodes }, true);
  close();
  expect(errorsOf(plan).map(({ code, where }) => [code, where?.file])).toEqual([
    ["PROTECTED", "config.yaml:nodes.worker-1.protection"],
  ]);
  expect((await lab.plan({ nodes: [worker({ protection: true, ip: "10.10.0.77" })] })).errors).toEqual([
    "PROTECTED Unable to remove machine worker-1: it is protected",
  ]);
});

test("every volume that goes with a machine is listed; a data disk that we made is known after the config has forgotten it", async () => {
  lab = await platformLab();
  const cache: DataDisk = { ...kept, keep: false, name: "cache", serial: "cache" };
  await lab.up({ nodes: [worker()] });
  // Added after the machine was created.
  await lab.up({ nodes: [worker({ disks: [cache, kept] })] });
  const { path, vmid } = await lab.vm("worker-1");
  await lab.root.task("POST", `${path}/config`, { scsi5: "local-lvm:1,serial=mine" });
  await lab.root.task("POST", `${path}/snapshot`, { snapname: "one", vmstate: 1 });
  const { plan, close } = await lab.planned({ nodes: [worker({ name: "worker-2" })] }, true);
  close();
  const [change] = changesOf(plan);
  expect(change?.deletes?.map(({ slot, volume, foreign }) => [slot, volume, foreign !== undefined])).toEqual([
    ["ide2", `local-lvm:vm-${vmid}-cloudinit`, false],
    ["scsi0", `local-lvm:vm-${vmid}-disk-0`, false],
    ["scsi1", `local-lvm:vm-${vmid}-disk-1`, false],
    ["scsi5", `local-lvm:vm-${vmid}-disk-2`, true],
    ["snapshot one", `local-lvm:vm-${vmid}-state-one`, false],
  ]);
  expect(change?.deletes?.map(({ bytes = 0 }) => bytes / 1024 ** 2)).toEqual([4, 8192, 4096, 1024, expect.any(Number)]);
  const volumes = () => proxmoxState(lab.lab).volumes.filter((one) => one.vmid === vmid);
  expect(
    volumes()
      .map(({ storage, name }) => `${storage}:${name}`)
      .sort(),
  ).toEqual(change?.deletes?.map(({ volume }) => volume).sort());
  await lab.down({ nodes: [worker({ name: "worker-2" })] });
  expect(volumes()).toEqual([]);
});

test("a lock left by a dead task is reported with the command that removes it, by up and by down", async () => {
  lab = await platformLab();
  const nodes = [worker()];
  await lab.up({ nodes });
  const { path, vmid } = await lab.vm("worker-1");
  await lab.root.task("POST", `${path}/config`, { lock: "backup" });
  expect(await lab.plan({ nodes })).toMatchObject({
    changes: [],
    notes: [`worker-1: VM ${vmid} on pve1 is locked (backup)`],
  });
  for (const results of [await lab.run({ nodes: [worker({ onboot: false })] }), await lab.run({ nodes }, true)]) {
    const failed = results.find(({ outcome }) => outcome === "failed");
    expect(JSON.stringify(failed)).toContain(`as root on pve1:  qm unlock ${vmid}`);
  }
});

const everywhere = {
  firmware: "ovmf",
  tpm: true,
  disks: [{ ...kept, keep: false, name: "cache", serial: "cache" }, kept],
  nics: [{ ip: [], dhcp: true, routes: [], vlans: [], bridge: "vmbr0", firewall: false }],
} as const;

test.each([
  ["import", "full", "virtio-scsi-pci"],
  ["import", "full", "virtio"],
  ["template", "full", "virtio-scsi-single"],
  ["template", "linked", "virtio"],
  ["iso", "full", "virtio-scsi-pci"],
] as const)(
  "made by %s (%s) with the controller %s, a machine has all it should, and the second plan is empty",
  async (method, clone, controller) => {
    lab = await platformLab();
    const diskFlags = { ...flags, ssd: controller !== "virtio" };
    const disks = everywhere.disks.map((disk) => ({ ...disk, flags: diskFlags }));
    const wishes = { nodes: [worker({ ...everywhere, controller, diskFlags, disks })], image: { method, clone } };
    await lab.up(wishes);
    expect(await lab.plan(wishes)).toEqual({ changes: [], notes: [], errors: [] });
    const { config } = await lab.vm("worker-1");
    const bus = controller === "virtio" ? "virtio" : "scsi";
    expect(config).toMatchObject({
      bios: "ovmf",
      efidisk0: expect.stringContaining("efitype=4m,pre-enrolled-keys=0"),
      tpmstate0: expect.stringContaining("version=v2.0"),
      boot: method === "iso" ? `order=${bus}0;ide0` : `order=${bus}0`,
      [`${bus}0`]: expect.stringContaining("size=8G"),
    });
    expect(Object.keys(config).filter((option) => option.startsWith("unused"))).toEqual([]);
  },
);

test("a new machine takes three changes, and is read once: when it runs", async () => {
  lab = await platformLab();
  const names = ["worker-1", "worker-2", "worker-3"];
  const nodes = names.map((name, at) => testNode({ name, disk: 8, ip: `10.10.0.${at + 20}` }));
  const { plan, close } = await lab.planned({ nodes });
  lab.lab.recorder.clear();
  await runPlan(plan, lab.session);
  close();
  const calls = lab.lab.recorder.calls().filter(({ site, inside }) => !inside && site.includes("/qemu"));
  const each = [
    "GET /nodes/:node/qemu/:vmid/pending",
    "GET /nodes/:node/qemu/:vmid/status/current",
    "POST /nodes/:node/qemu",
    "POST /nodes/:node/qemu/:vmid/status/start",
    "PUT /nodes/:node/qemu/:vmid/resize",
  ];
  expect(calls.map(({ site }) => site).sort()).toEqual(names.flatMap(() => each).sort());
});

test("an id that another VM took after the plan is left alone, and the machine gets the next one", async () => {
  lab = await platformLab();
  const nodes = [worker()];
  const { plan, close } = await lab.planned({ nodes });
  const vmid = Number(
    changesOf(plan)
      .find(({ step }) => step === "machine/worker-1")
      ?.fields.find(({ path }) => path === "vmid")?.to,
  );
  await lab.root.task("POST", "/nodes/pve1/qemu", { vmid, name: "other" });
  const results = await runPlan(plan, lab.session);
  close();
  expect(results.map(({ outcome }) => outcome)).not.toContain("failed");
  expect((await lab.root.vms()).map(({ config }) => config.name).sort()).toEqual(["other", "worker-1"]);
  expect((await lab.vm("other")).config.scsi0).toBeUndefined();
  expect(await lab.plan({ nodes })).toEqual({ changes: [], notes: [], errors: [] });
});

test("a machine that another computer created after the plan is not created a second time", async () => {
  lab = await platformLab();
  const nodes = [worker()];
  const { plan, close } = await lab.planned({ nodes });
  await lab.up({ nodes });
  const before = await lab.vm("worker-1");
  const results = await runPlan(plan, lab.session);
  close();
  expect(results.map(({ outcome }) => outcome)).not.toContain("failed");
  expect(await lab.vm("worker-1")).toEqual(before);
  expect(await lab.root.vms()).toHaveLength(1);
});

test("an image that is larger than the configured disk is kept as it is", async () => {
  lab = await platformLab();
  const nodes = [worker({ disk: 1 })];
  await lab.up({ nodes });
  expect((await lab.vm("worker-1")).config.scsi0).toContain("size=1248M");
  expect(await lab.plan({ nodes })).toMatchObject({ changes: [], errors: [] });
});

test("an empty plan makes no more calls with many settings than with few", async () => {
  lab = await platformLab();
  const calls = async (own: Partial<ProxmoxNodeConfig>) => {
    const wishes = { nodes: [worker(own)] };
    await lab.up(wishes);
    const { close, ...planned } = await lab.planned(wishes);
    close();
    return planned.calls;
  };
  await lab.root.call("POST", "/pools", { poolid: "talos" });
  expect(await calls({ pool: "talos", disks: [kept] })).toBe(await calls({}));
});
