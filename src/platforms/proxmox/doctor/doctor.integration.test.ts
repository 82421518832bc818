import { setHostOnline } from "@talosmith/lab/proxmox/host-power.ts";
import type { ProxmoxOptions } from "@talosmith/lab/proxmox/initial.ts";
import { type Host, type PciDevice, proxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { runOnHost } from "@talosmith/lab/ssh/shell.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { afterEach, describe, expect, test } from "vitest";
import { testSession } from "../../../../test/support/toy.ts";
import { readContext } from "../../../engine/context.ts";
import type { Change, Finding } from "../../../engine/step.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import type { Inventory, Owned } from "../../platform.ts";
import { hostStatus } from "../client/nodes.ts";
import { openSite } from "../site.ts";
import { ENVIRONMENT } from "../testing/environment-id.ts";
import { platformLab, type Wishes } from "../testing/platform-lab.ts";
import { testNode } from "../testing/test-node.ts";
import { checks } from "./checks.ts";

// The lab answers like Proxmox in each state (docs/facts/proxmox.md#root-only, docs/facts/proxmox.md#devices); the findings are expected for that state.

type Bench = Awaited<ReturnType<typeof platformLab>>;
let bench: Bench;
afterEach(() => bench?.close());

const world = realWorld();
const silent = { probe: async () => ({ is: "silent", why: "nobody" }) } as unknown as TalosNodes;
const nothing: Inventory = { environment: ENVIRONMENT, owned: [], there: new Set(), foreign: [] };
const cp = testNode({ name: "cp-1", role: "controlplane", ip: "127.0.0.9" });
const gpu = testNode({ name: "gpu-1", ip: "127.0.0.10", gpu: "nvidia", firmware: "ovmf", pci: [{ mapping: "rtx3090" }] });

async function open(options: ProxmoxOptions = {}): Promise<Bench> {
  bench = await platformLab({ gpus: { pve1: ["nvidia rtx 3090"] }, ...options });
  return bench;
}

interface Look extends Partial<Wishes> {
  found?: Inventory;
  world?: World;
  /** Those of a plan; all checks run without them. */
  changes?: readonly Change[];
}

async function doctor({ found = nothing, world: of = world, changes, ...wishes }: Look = {}): Promise<Finding[]> {
  const env = bench.environment({ nodes: [cp], ...wishes });
  const network = { ...env.config.network, cidr: "127.0.0.0/24", gateway: "127.0.0.1" };
  const site = openSite(of, { ...env, config: { ...env.config, network } }, silent);
  const pass = new Map();
  const session = { ...testSession(), world: of };
  const looks = checks(site, found).map((check) => {
    const own = check.before && changes?.filter(check.before);
    return own?.length === 0 ? [] : check.run(readContext(session, check.id, new Map(), pass), own);
  });
  const all = await Promise.all(looks);
  site.client.close();
  return all.flat();
}

const notOk = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== "ok");
const wrong = (findings: readonly Finding[]) => notOk(findings).map(({ level, code, message }) => `${level} ${code}: ${message}`);
/** With the setting that each is about. */
const placed = (findings: readonly Finding[]) =>
  notOk(findings).map(({ level, code, message, where }) => `${level} ${code}: ${where?.file}: ${message}`);

const host = (name: string) => proxmoxState(bench.lab).hosts.find((one) => one.name === name) as Host;

/** The graphics function of the card in pve1. */
const card = () => host("pve1").pci.find(({ vendor, class: kind }) => vendor === "10de" && kind === "030000") as PciDevice;

async function mapped(group = card().group): Promise<void> {
  const map = `node=pve1,path=${card().id},id=10de:2204,subsystem-id=1458:4043,iommugroup=${group}`;
  await bench.root.call("POST", "/cluster/mapping/pci", { id: "rtx3090", map });
}

test.each(["8.4.21", "9.2.11"])("on a sound Proxmox VE %s nothing is wrong", async (version) => {
  await open({ version });
  await mapped();
  expect(wrong(await doctor({ nodes: [cp, gpu] }))).toEqual([]);
});

test("a Proxmox that cannot import disk images is too old", async () => {
  await open({ version: "8.4.21" });
  proxmoxState(bench.lab).version = "8.3.5";
  expect(wrong(await doctor())).toContain("fail PROXMOX_OLD: Proxmox VE 8.3.5 is too old");
});

test("the findings distinguish missing hosts from offline ones", async () => {
  await open();
  await setHostOnline(bench.lab, "pve2", false);
  expect(wrong(await doctor({ hosts: ["pve1", "pve2", "pve9"] }))).toEqual(
    expect.arrayContaining([
      "warn HOST_OFFLINE: the Proxmox host pve2 is offline",
      "fail NO_HOST: there is no Proxmox host pve9",
    ]),
  );
});

test("an offline host is a failure only when a machine is to be created on it", async () => {
  await open();
  await setHostOnline(bench.lab, "pve2", false);
  const nodes = [{ ...cp, host: "pve2" }];
  expect(wrong(await doctor({ nodes, hosts: ["pve1", "pve2"] }))).toContain(
    "fail HOST_OFFLINE: the Proxmox host pve2 is offline, and cp-1 would be made on it",
  );
  const found = { ...nothing, there: new Set(["cp-1"]) };
  expect(wrong(await doctor({ nodes, hosts: ["pve1", "pve2"], found }))).toContain(
    "warn HOST_OFFLINE: the Proxmox host pve2 is offline",
  );
});

test("the printed command fixes a storage that does not allow images", async () => {
  await open();
  await bench.root.call("PUT", "/storage/local", { content: "iso,backup" });
  const [finding] = (await doctor()).filter(({ code }) => code === "STORAGE_CONTENT");
  expect(finding?.message).toBe('the storage local on pve1 does not take "import" content');
  const command = finding?.hint?.replace("as root on pve1:", "").trim() ?? "";
  expect(await runOnHost(bench.lab, "pve1", command)).toMatchObject({ code: 0 });
  expect(wrong(await doctor())).toEqual([]);
});

test("a thin pool that could be outgrown is a warning, one that is full a failure", async () => {
  await open({ disksGiB: 30 });
  expect(wrong(await doctor())).toEqual([
    "warn STORAGE_TIGHT: storage local-lvm on pve1: 30 GiB free, the disks to be created can grow to 40 GiB",
  ]);
  const lvm = proxmoxState(bench.lab).storages.find(({ id }) => id === "local-lvm");
  if (lvm) lvm.occupied = lvm.total - 1024 ** 3;
  expect(wrong(await doctor())).toEqual([
    "fail STORAGE_FULL: storage local-lvm on pve1: 1 GiB free, the machines to be created need 2 GiB",
  ]);
});

test("machines that exist need no more room", async () => {
  await open({ disksGiB: 30 });
  expect(wrong(await doctor({ found: { ...nothing, there: new Set(["cp-1"]) } }))).toEqual([]);
});

test("a VLAN wants a bridge that knows VLANs", async () => {
  await open({ bridges: ["vmbr0,plain"] });
  expect(wrong(await doctor({ nodes: [{ ...cp, vlan: 10 }] }))).toEqual([
    "warn BRIDGE_VLAN: the bridge vmbr0 on pve1 is not VLAN-aware, but machines use its VLAN 10: that works only through its card enp1s0",
  ]);
  host("pve1").bridges = [{ name: "vmbr0", vlanAware: false, ports: [] }];
  expect(wrong(await doctor({ nodes: [{ ...cp, vlan: 10 }] }))).toEqual([
    expect.stringMatching(/^fail BRIDGE_VLAN: .*no physical card$/),
  ]);
  expect(wrong(await doctor({ nodes: [{ ...cp, bridge: "vmbr7" }] }))).toContain(
    "fail NO_BRIDGE: pve1 has no bridge vmbr7, or this login may not use it",
  );
});

describe("memory", () => {
  const GiB = 1024;
  const more = (name: string, own: Partial<typeof cp>) => testNode({ name, ip: `127.0.0.${20 + name.length}`, ...own });
  const owned = (name: string, memory?: number) =>
    ({ name, detail: { host: "pve1" }, ...(memory !== undefined && { memory }) }) as unknown as Owned;
  const having = (...machines: Owned[]): Inventory => ({
    ...nothing,
    owned: machines,
    there: new Set(machines.map(({ name }) => name)),
  });
  const memory = (findings: readonly Finding[]) => placed(findings).filter((one) => one.includes("MEMORY"));

  test("a machine with more memory than its host fails at its line", async () => {
    await open({ memoryGiB: 16 });
    expect(memory(await doctor({ nodes: [{ ...cp, memory: 64 * GiB }] }))).toEqual([
      "fail TOO_MUCH_MEMORY: config.yaml:nodes.cp-1.memory: cp-1 has 64 GiB of memory in the config, but its host pve1 has 16 GiB",
    ]);
  });

  test("machines of one host add up", async () => {
    await open({ memoryGiB: 16 });
    const nodes = [cp, more("worker-1", { memory: 12 * GiB })];
    expect(memory(await doctor({ nodes }))).toEqual([
      expect.stringMatching(
        /^warn MEMORY_OVERCOMMITTED: config.yaml:nodes.cp-1.memory: pve1 has 16 GiB of memory, .* free; its machines get 20 GiB in total: cp-1 8 GiB, worker-1 12 GiB$/,
      ),
    ]);
    // On two hosts they do not.
    expect(memory(await doctor({ nodes: [cp, { ...nodes[1], host: "pve2" } as typeof cp], hosts: ["pve1", "pve2"] }))).toEqual(
      [],
    );
  });

  test("machines that share memory by ballooning may get more in total than the host has, with a warning", async () => {
    await open({ memoryGiB: 16 });
    const nodes = [cp, more("worker-1", { memory: 12 * GiB, balloon: 4 * GiB })];
    expect(memory(await doctor({ nodes }))).toEqual([expect.stringContaining("warn MEMORY_OVERCOMMITTED")]);
  });

  test("machines that run with more memory than the host has are a warning", async () => {
    await open({ memoryGiB: 16 });
    const nodes = [cp, more("worker-1", { memory: 12 * GiB })];
    const found = having(owned("cp-1", 8 * GiB), owned("worker-1", 12 * GiB));
    expect(memory(await doctor({ nodes, found }))).toEqual([expect.stringContaining("warn MEMORY_OVERCOMMITTED")]);
    expect(memory(await doctor({ nodes, found: having(owned("cp-1", 8 * GiB), owned("worker-1", 2 * GiB)) }))).toEqual([
      expect.stringContaining("warn MEMORY_OVERCOMMITTED: config.yaml:nodes.worker-1.memory"),
    ]);
  });

  test("only the memory that a machine does not have yet must be free", async () => {
    await open({ memoryGiB: 32 });
    const { freeBytes } = await hostStatus(openSite(world, bench.environment({ nodes: [cp] }), silent).client, "pve1");
    const free = Math.floor(freeBytes / 1024 ** 2);
    const nodes = [{ ...cp, memory: free + 2 * GiB }];
    expect(memory(await doctor({ nodes }))).toEqual([
      expect.stringContaining("warn MEMORY_TIGHT: config.yaml:nodes.cp-1.memory"),
    ]);
    expect(memory(await doctor({ nodes, found: having(owned("cp-1", 4 * GiB)) }))).toEqual([]);
    expect(memory(await doctor({ nodes, found: having(owned("cp-1", 0)) }))).toEqual([expect.stringContaining("MEMORY_TIGHT")]);
    // A machine on an offline host has the memory that it has.
    expect(memory(await doctor({ nodes, found: having(owned("cp-1")) }))).toEqual([]);
  });
});

describe("checks of a plan", () => {
  const change = (verb: Change["verb"], step: string, ...paths: string[]): Change => ({
    ...{ id: step, step, verb, subject: step },
    fields: paths.map((path) => ({ path, from: 1, to: 2 })),
  });
  const calls = () => bench.lab.recorder.calls().map(({ service, site, resource }) => `${service} ${site} ${resource}`);
  const asked = async (look: Look): Promise<string[]> => {
    const before = calls().length;
    await doctor(look);
    return calls().slice(before);
  };

  test("without changes only the checks of every plan make calls", async () => {
    await open();
    const sites = (await asked({ changes: [] })).map((call) => call.split(" ")[2]);
    expect([...new Set(sites)]).toEqual(["/version", "/nodes", "/access/permissions"]);
    // So do changes of the config of a running machine that need nothing of its host.
    const own = { changes: [change("update", "machine/cp-1", "description")], found: { ...nothing, there: new Set(["cp-1"]) } };
    expect((await asked(own)).filter((call) => /storage|network|mapping|factory|time|\/nodes\/:node\/status/.test(call))).toEqual(
      [],
    );
  });

  test("only the machines and hosts of the changes are looked at", async () => {
    await open();
    const other = { ...gpu, name: "gpu-2", ip: "127.0.0.12", host: "pve2", pci: [{ mapping: "missing" }] };
    const look = { nodes: [cp, gpu, other], hosts: ["pve1", "pve2"], changes: [change("create", "machine/cp-1")] };
    expect(wrong(await doctor(look)).filter((one) => one.includes("MAPPING"))).toEqual([]);
    expect((await asked(look)).filter((call) => call.includes("pve2"))).toEqual([]);
    const adding = { ...look, changes: [change("restart", "machine/gpu-2", "hostpci0")] };
    expect(placed(await doctor(adding))).toEqual([
      expect.stringContaining("fail NO_MAPPING: config.yaml:nodes.gpu-2.pci.0: there is no PCI mapping missing for gpu-2"),
    ]);
  });

  test("the factory is asked only for images", async () => {
    await open();
    expect(await asked({ changes: [change("create", "machine/cp-1")] })).not.toContainEqual(expect.stringContaining("factory"));
    const images = { changes: [change("create", "image/pve1/talos")] };
    expect((await asked(images)).filter((call) => call.includes("factory"))).toEqual(["factory GET /versions versions"]);
  });
});

test("without quorum nothing can be changed", async () => {
  await open();
  proxmoxState(bench.lab).quorate = false;
  expect(wrong(await doctor())).toContainEqual(expect.stringContaining("fail NO_QUORUM: the Proxmox cluster lab has no quorum"));
});

test("a clock that is off by minutes is noticed before certificates are", async () => {
  await open();
  const late = { ...world, clock: { ...world.clock, now: () => world.clock.now() - 300_000 } };
  expect(wrong(await doctor({ world: late }))).toEqual([
    expect.stringMatching(/^warn HOST_CLOCK: the clock of pve1 is (299|300|301) s ahead of this computer's$/),
  ]);
});

test("a pinned certificate that ends soon is about to get another fingerprint", async () => {
  await open();
  const future = { ...world, clock: { ...world.clock, now: () => world.clock.now() + 100 * 365 * 24 * 3600_000 } };
  const [finding] = (await doctor({ world: future })).filter(({ code }) => code === "CERTIFICATE_ENDS");
  expect(finding).toMatchObject({
    level: "warn",
    message: "pve-ssl.pem has expired",
    hint: expect.stringContaining("proxmox.tls.fingerprint"),
  });
});

test("the certificate is queried by the name of the connected host", async () => {
  await open();
  expect(await doctor()).toContainEqual({
    level: "ok",
    code: "CERTIFICATE",
    message: expect.stringContaining("pve-ssl.pem is valid for"),
  });
  const asked = bench.lab.recorder.calls().filter(({ site }) => site.endsWith("/certificates/info"));
  expect(asked.map(({ resource }) => resource)).toEqual(["node pve1"]);
});

test("a machine with more cores than its host fails before anything is created: Proxmox would not start it", async () => {
  await open({ cpus: 2 });
  const tooMany =
    "fail TOO_MANY_CORES: config.yaml:nodes.cp-1.cores: cp-1 has 4 cores in the config, but its host pve1 has 2: Proxmox would not start it";
  const nodes = [{ ...cp, cores: 2, sockets: 2 }];
  expect(placed(await doctor({ nodes }))).toEqual([tooMany]);
  expect(wrong(await doctor({ nodes: [{ ...cp, cores: 2 }] }))).toEqual([]);
  // A machine that was migrated is checked against its current host.
  host("pve2").cpus = 4;
  const moved = { name: "cp-1", detail: { host: "pve2" } } as unknown as Inventory["owned"][number];
  expect(wrong(await doctor({ nodes, found: { ...nothing, owned: [moved], there: new Set(["cp-1"]) } }))).toEqual([]);
});

test("a host of which the cluster knows nothing is not taken for one that is off", async () => {
  await open();
  host("pve2").figuresMissing = true;
  const nodes = [{ ...cp, host: "pve2" }];
  expect(wrong(await doctor({ nodes, hosts: ["pve1", "pve2"] }))).toEqual([]);
});

test("a storage with the role NoAccess is reported despite privileges on its parent path, and the printed commands fix it", async () => {
  await open();
  await bench.root.call("PUT", "/access/acl", { path: "/storage/local", users: "talosmith@pve", roles: "NoAccess" });
  const [finding] = (await doctor()).filter(({ code }) => code === "RIGHTS_MISSING");
  expect(finding?.message.split("\n").map((line) => line.trim().split("  ")[0])).toEqual([
    expect.stringContaining("lacks 2 of"),
    "Datastore.AllocateTemplate on /storage/local",
    "Datastore.Audit on /storage/local",
  ]);
  for (const command of finding?.hint?.split("\n").slice(1) ?? [])
    expect(await runOnHost(bench.lab, "pve1", command)).toMatchObject({ code: 0, stderr: "" });
  expect(wrong(await doctor())).toEqual([]);
});

test("a missing pool is reported before a machine is created in it", async () => {
  await open();
  const nodes = [{ ...cp, pool: "prod" }];
  expect(wrong(await doctor({ nodes }))).toEqual([
    expect.stringContaining("there is no pool prod, or this login may not see it"),
  ]);
  await bench.root.call("POST", "/pools", { poolid: "prod" });
  expect(wrong(await doctor({ nodes }))).toEqual([]);
});

test("a VM id that a foreign machine uses is reported with its line in the config", async () => {
  await open();
  await bench.root.call("POST", "/nodes/pve2/qemu", { vmid: 500, name: "mine" });
  expect(placed(await doctor({ nodes: [{ ...cp, vmid: 500 }] }))).toEqual([
    expect.stringMatching(/^fail VMID_TAKEN: config.yaml:nodes.cp-1.vmid: VM id 500 of cp-1 is taken by the VM mine on pve2$/),
  ]);
});

test("an address that answers is in use, unless its machine belongs to this cluster", async () => {
  await open();
  const listener = await world.net.listen({ host: "127.0.0.9", port: 50_000 }, (socket) => socket.destroy());
  expect(wrong(await doctor())).toEqual([
    expect.stringContaining("127.0.0.9, the address of cp-1, is already in use: port 50000 answers"),
  ]);
  expect(wrong(await doctor({ found: { ...nothing, there: new Set(["cp-1"]) } }))).toEqual([]);
  await listener.close();
});

test("when every address of the network answers, an answer proves nothing", async () => {
  await open();
  const dial: World["net"]["dial"] = async (to, signal) =>
    [22, 6443, 50_000].includes(to.port) ? ({ destroy: () => {} } as never) : world.net.dial(to, signal);
  expect(wrong(await doctor({ world: { ...world, net: { ...world.net, dial } } }))).toEqual([
    expect.stringContaining("warn ADDRESSES_UNKNOWN: not checked: every address in 127.0.0.0/24 answers"),
  ]);
});

test("a device by address is refused for a token, with the line, the reason and a mapping that replaces it", async () => {
  await open();
  const address = card().id.replace(".0", "");
  const raw = { ...gpu, pci: [{ raw: address }] };
  const [finding] = (await doctor({ nodes: [raw] })).filter(({ code }) => code === "ROOT_ONLY");
  expect(finding?.message).toBe(
    `the PCI device ${address} for gpu-1 by its address: Proxmox allows this only to root@pam with its password, not to any token: talosmith@pve!lab may not set it`,
  );
  const [, command = ""] = finding?.hint?.split("\n") ?? [];
  expect(command).toBe(
    `pvesh create /cluster/mapping/pci --id gpu-1-pci --map node=pve1,path=${address},id=10de:2204,subsystem-id=1458:4043,iommugroup=${card().group}`,
  );
  expect(await runOnHost(bench.lab, "pve1", command)).toMatchObject({ code: 0, stderr: "" });
  expect(wrong(await doctor({ nodes: [{ ...gpu, pci: [{ mapping: "gpu-1-pci" }] }] }))).toEqual([]);
  expect(wrong(await doctor({ nodes: [raw], as: "root" }))).toEqual([]);
});

test.each(["affinity", "hugepages"] as const)("%s is root's alone as well", async (key) => {
  await open();
  const nodes = [{ ...cp, ...(key === "affinity" ? { affinity: "0-3" } : { hugepages: "2" as const }) }];
  expect(placed(await doctor({ nodes }))).toEqual([
    expect.stringContaining(`fail ROOT_ONLY: config.yaml:nodes.cp-1.${key}: ${key} of cp-1`),
  ]);
  expect(wrong(await doctor({ nodes, as: "root" }))).toEqual([]);
});

test("a host whose IOMMU is off cannot pass a device through", async () => {
  await open({ iommu: false });
  expect(wrong(await doctor({ nodes: [gpu] }))).toEqual([
    "fail IOMMU_OFF: the IOMMU of pve1 is off, so no device can be passed through to gpu-1",
  ]);
});

test("a missing mapping is reported with the command that creates it", async () => {
  await open();
  const [finding] = (await doctor({ nodes: [gpu] })).filter(({ code }) => code === "NO_MAPPING");
  expect(finding?.message).toContain("there is no PCI mapping rtx3090 for gpu-1, or this login may not use it");
  const [, command = ""] = finding?.hint?.split("\n") ?? [];
  expect(await runOnHost(bench.lab, "pve1", command)).toMatchObject({ code: 0, stderr: "" });
  expect(wrong(await doctor({ nodes: [gpu] }))).toEqual([]);
});

test("a mapping that no longer matches its device is reported before a machine starts with it", async () => {
  await open();
  await mapped(99);
  expect(wrong(await doctor({ nodes: [gpu] }))).toEqual([
    expect.stringMatching(
      /^fail MAPPING_STALE: the PCI mapping rtx3090 does not match 0000:[0-9a-f]+:00.0 on pve1: iommugroup 99 is \d+$/,
    ),
  ]);
});

test("a mapping for other hosts is no help on this one", async () => {
  await open();
  await mapped();
  expect(wrong(await doctor({ nodes: [{ ...gpu, host: "pve2" }], hosts: ["pve1", "pve2"] }))).toEqual([
    expect.stringContaining("fail MAPPING_HOST"),
  ]);
});

test("a missing USB mapping is reported at its line, for the machines that change", async () => {
  await open();
  const nodes = [cp, testNode({ name: "key-1", ip: "127.0.0.12", usb: [{ mapping: "key" }] })];
  const missing =
    "fail NO_MAPPING: config.yaml:nodes.key-1.usb.0: there is no USB mapping key for key-1, or this login may not use it";
  expect(placed(await doctor({ nodes }))).toEqual([missing]);
  const create = (step: string): Change[] => [{ id: step, step, verb: "create", subject: step, fields: [] }];
  expect(placed(await doctor({ nodes, changes: create("machine/key-1") }))).toEqual([missing]);
  expect(placed(await doctor({ nodes, changes: create("machine/cp-1") }))).toEqual([]);
  await bench.root.call("POST", "/cluster/mapping/usb", { id: "key", map: "node=pve1,id=1050:0407" });
  expect(placed(await doctor({ nodes }))).toEqual([]);
});

test("a device that shares its IOMMU group or is in use is reported", async () => {
  await open();
  const disk = host("pve1").pci.find(({ id }) => id === "0000:04:00.0");
  if (disk) disk.group = card().group;
  await mapped();
  await bench.root.call("POST", "/nodes/pve1/qemu", {
    vmid: 500,
    name: "other",
    machine: "q35",
    hostpci0: "mapping=rtx3090,pcie=1",
  });
  expect(wrong(await doctor({ nodes: [gpu] }))).toEqual([
    "warn DEVICE_GROUP: PCI mapping rtx3090 on pve1 shares its IOMMU group with 0000:04:00.0 Advanced Micro Devices, Inc. [AMD] FCH SATA Controller [AHCI mode]",
    "warn DEVICE_USED: PCI mapping rtx3090 on pve1 is also in the config of VM 500 (other)",
  ]);
  await bench.root.call("POST", "/nodes/pve1/qemu/500/status/start");
  await expect
    .poll(async () => wrong(await doctor({ nodes: [gpu] })))
    .toContain("fail DEVICE_USED: PCI mapping rtx3090 on pve1 is used by VM 500 (other), so gpu-1 cannot start with it");
});

test("a login without Sys.Audit gets one finding with the commands, and no check fails", async () => {
  await open();
  const { access } = proxmoxState(bench.lab);
  access.roles.Blind = Object.values(access.roles)
    .flat()
    .filter((one) => one !== "Sys.Audit");
  access.acl = access.acl.map((entry) => ({ ...entry, role: "Blind" }));
  const findings = await doctor();
  expect(wrong(findings).filter((line) => line.startsWith("fail"))).toEqual([]);
  expect(findings.filter(({ code }) => code === "NOT_SEEN").map(({ message }) => message)).toContain(
    "not checked: Permission check failed (/, Sys.Audit)",
  );
  const [finding] = findings.filter(({ code }) => code === "RIGHTS_USEFUL");
  expect(finding?.message).toContain("Sys.Audit on /");
  for (const command of finding?.hint?.split("\n").slice(1) ?? [])
    expect(await runOnHost(bench.lab, "pve1", command)).toMatchObject({ code: 0, stderr: "" });
  expect(wrong(await doctor())).toEqual([]);
});
