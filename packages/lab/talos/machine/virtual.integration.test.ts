import { afterEach, expect, test } from "vitest";
import type { ProxmoxOptions } from "../../proxmox/initial.ts";
import { TalosBench } from "../testing/bench.ts";
import { type Main, TestCluster } from "../testing/configs.ts";

let bench: TalosBench;
afterEach(() => bench.close());

const cluster = new TestCluster("test", "https://10.10.0.5:6443");
const QEMU = "/nodes/pve1/qemu";
const boot = () => bench.state.machines["vm 100"]?.boot;
const running = () => bench.eventually(() => expect(boot()?.stage).toBe("running"));
const maintenance = () => bench.eventually(() => expect(boot()?.stage).toBe("maintenance"));

async function schematic(extensions: readonly string[]): Promise<string> {
  const yaml = `customization:\n    systemExtensions:\n        officialExtensions:\n${extensions.map((name) => `            - ${name}\n`).join("")}`;
  const answer = await fetch(`${bench.lab.published().factory?.url}/schematics`, { method: "POST", body: yaml });
  return ((await answer.json()) as { id: string }).id;
}

const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

async function asset(name: string, content: "iso" | "import", id = PLAIN): Promise<string> {
  const filename = `talos${content === "iso" ? ".iso" : ".qcow2"}`;
  const url = `${bench.lab.published().factory?.url}/image/${id}/v1.13.9/${name}`;
  await bench.proxmox.task("POST", "/nodes/pve1/storage/local/download-url", { url, content, filename });
  return `local:${content}/${filename}`;
}

const address = () => bench.lab.address.host(31);
const common = () => ({
  vmid: 100,
  cores: 2,
  memory: 4096,
  ide2: "local-lvm:cloudinit",
  net0: "virtio=BC:24:11:00:00:31,bridge=vmbr0",
  ipconfig0: `ip=${address()}/24,gw=${bench.lab.address.host(254)}`,
});

async function fromIso(order: string, more: object = {}, name = "nocloud-amd64.iso"): Promise<void> {
  const iso = await asset(name, "iso");
  const form = { ...common(), scsi0: "local-lvm:20", ide0: `${iso},media=cdrom`, boot: `order=${order}`, start: 1, ...more };
  await bench.proxmox.task("POST", QEMU, form);
}

async function fromImage(more: Record<string, string | number>, name = "nocloud-amd64.qcow2", id = PLAIN): Promise<void> {
  const image = await asset(name, "import", id);
  await bench.proxmox.task("POST", QEMU, {
    ...common(),
    scsi0: `local-lvm:0,import-from=${image}`,
    boot: "order=scsi0",
    start: 1,
    ...more,
  });
}

const open = async (proxmox: ProxmoxOptions = {}) => {
  bench = await TalosBench.open({ proxmox });
};

test("a machine with a CD and an empty disk waits in memory, installs itself, and boots from the disk", async () => {
  await open();
  await fromIso("scsi0;ide0");
  await maintenance();
  expect(boot()?.disk).toBeUndefined();
  await bench.apply(address(), cluster.config("controlplane", "cp-1"));
  await bench.eventually(() =>
    expect(boot()).toMatchObject({ disk: expect.stringMatching(/^volume /), config: expect.anything() }),
  );
  const { status } = await bench.proxmox.get("GET", `${QEMU}/100/status/current`);
  expect(status).toBe("running");
});

test("the CD halts when it is first in the boot order and finds an installed system", async () => {
  await open();
  await fromIso("ide0;scsi0");
  await maintenance();
  await bench.apply(address(), cluster.config("controlplane", "cp-1"));
  // talos.halt_if_installed=1 (docs/facts/talos.md#metal-iso)
  await bench.eventually(() => {
    expect(Object.values(bench.state.disks).some(({ config }) => config !== undefined)).toBe(true);
    expect(boot()).toBeUndefined();
  });
  await bench.proxmox.task("POST", `${QEMU}/100/status/stop`);
  await bench.proxmox.get("PUT", `${QEMU}/100/config`, { delete: "ide0" });
  expect((await bench.proxmox.get("GET", `${QEMU}/100/config`)).boot).toBe("order=scsi0");
  await bench.proxmox.task("POST", `${QEMU}/100/status/start`);
  await bench.eventually(() => expect(boot()?.config).toBeDefined());
});

const EFI = { bios: "ovmf", machine: "q35", efidisk0: "local-lvm:1,efitype=4m,pre-enrolled-keys=0" };

test("the unsigned image boots with either firmware", async () => {
  await open();
  await fromImage(EFI);
  await maintenance();
  expect(boot()?.secureBoot).toBeUndefined();
});

test("a signed image needs UEFI", async () => {
  await open();
  await fromImage({}, "nocloud-amd64-secureboot.qcow2");
  expect(bench.state.machines["vm 100"]).toBeDefined();
  expect(boot()).toBeUndefined();
});

test("a signed image enrols its keys in a firmware in setup mode, which then boots nothing else", async () => {
  await open();
  await fromImage(EFI, "nocloud-amd64-secureboot.qcow2");
  await maintenance();
  expect(boot()?.secureBoot).toBe(true);
  const client = bench.client(address());
  const state = await bench.eventually(() => bench.resource(client, "runtime", "SecurityStates.talos.dev", "securitystate"));
  expect(state.secureBoot).toBe(true);
  await bench.proxmox.task("POST", `${QEMU}/100/status/stop`);
  const plain = await asset("nocloud-amd64.iso", "iso");
  await bench.proxmox.get("PUT", `${QEMU}/100/config`, { ide0: `${plain},media=cdrom` });
  await bench.proxmox.get("PUT", `${QEMU}/100/config`, { boot: "order=ide0" });
  await bench.proxmox.task("POST", `${QEMU}/100/status/start`);
  expect(boot()).toBeUndefined();
});

test.each(["nocloud-amd64.qcow2", "nocloud-amd64-secureboot.qcow2"])("with Microsoft's keys %s does not boot", async (name) => {
  await open();
  await fromImage({ ...EFI, efidisk0: "local-lvm:1,efitype=4m,pre-enrolled-keys=1" }, name);
  expect(boot()).toBeUndefined();
});

const encrypted = (tpm: object) => ({
  apiVersion: "v1alpha1",
  kind: "VolumeConfig",
  name: "EPHEMERAL",
  encryption: { provider: "luks2", keys: [{ slot: 0, tpm }] },
});

test("a disk is encrypted with the TPM of a machine that has one", async () => {
  await open();
  await fromImage({ ...EFI, tpmstate0: "local-lvm:1,version=v2.0" }, "nocloud-amd64-secureboot.qcow2");
  await bench.apply(address(), cluster.config("controlplane", "cp-1", [encrypted({ checkSecurebootStatusOnEnroll: true })]));
  await bench.eventually(() => bench.client(address(), cluster.client()).machine.version({}));
});

test("a machine whose config needs a TPM does not come up without one", async () => {
  await open();
  await fromImage(EFI);
  await bench.apply(address(), cluster.config("controlplane", "cp-1", [encrypted({})]));
  await bench.eventually(() => expect(boot()?.kernelLog.join()).toContain("stat /dev/tpmrm0: no such file or directory"));
  expect(boot()?.api).toBe("closed");
});

const GPU = { gpus: { pve1: ["nvidia rtx 4090"] } };
const card = "node=pve1,path=0000:41:00,id=10de:2684,subsystem-id=1458:40bf,iommugroup=30";
const modules = (main: Main) => {
  main.machine.kernel = { modules: [{ name: "nvidia" }, { name: "nvidia_uvm" }] };
};

async function withCard(extensions: readonly string[]): Promise<string[]> {
  await open(GPU);
  const id = extensions.length === 0 ? PLAIN : await schematic(extensions);
  bench.lab.turn(() => {
    const state = bench.lab.state<{ mappings: { pci: Record<string, { map: string[] }> } }>("proxmox");
    state.mappings.pci.gpu0 = { map: [card] };
  });
  await fromImage({ ...EFI, hostpci0: "mapping=gpu0,pcie=1" }, "nocloud-amd64.qcow2", id);
  await bench.apply(address(), cluster.config("controlplane", "cp-1", [], modules));
  const client = bench.client(address(), cluster.client());
  await bench.eventually(() => client.machine.version({}));
  const shown = await bench.resource(client, "hardware", "PCIDevices.hardware.talos.dev", "0000:01:00.0");
  expect(shown).toMatchObject({ class: "Display controller", vendor_id: "0x10de", product_id: "0x2684" });
  const chunks: string[] = [];
  for await (const { bytes } of client.machine.read({ path: "/proc/modules" })) chunks.push(Buffer.from(bytes).toString());
  return chunks
    .join("")
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "")
    .filter((name) => name.startsWith("nvidia"));
}

test("a passed-through card is visible in the machine, and its driver loads with the extension", async () => {
  expect(await withCard(["siderolabs/nvidia-container-toolkit-lts", "siderolabs/nvidia-open-gpu-kernel-modules-lts"])).toEqual([
    "nvidia",
    "nvidia_uvm",
  ]);
});

test("without the extension no driver is loaded", async () => {
  expect(await withCard([])).toEqual([]);
});

const volume = {
  apiVersion: "v1alpha1",
  kind: "UserVolumeConfig",
  name: "data",
  provisioning: {
    diskSelector: { match: 'disk.wwid == "naa.5525400000000001" || "/dev/disk/by-id/virtio-data" in disk.symlinks' },
    minSize: "1GiB",
  },
};

test("a disk is found by its WWN or its link, and its content is visible in the next machine", async () => {
  await open();
  await bench.proxmox.get("POST", "/nodes/pve1/storage/local-lvm/content", {
    vmid: 9000,
    filename: "vm-9000-test-w1-data",
    size: "5G",
  });
  const kept = "local-lvm:vm-9000-test-w1-data,serial=data";
  const uuids: string[] = [];
  for (const key of ["scsi1", "virtio3"]) {
    await fromImage({ [key]: key === "scsi1" ? `${kept},wwn=0x5525400000000001` : kept });
    await bench.apply(address(), cluster.config("controlplane", "cp-1", [volume]));
    const client = bench.client(address(), cluster.client());
    await bench.eventually(() => client.machine.version({}));
    const status = await bench.resource(client, "runtime", "VolumeStatuses.block.talos.dev", "u-data");
    expect(status).toMatchObject({ phase: "ready", parentLocation: key === "scsi1" ? "/dev/sdb" : "/dev/vda" });
    uuids.push(status.uuid);
    await bench.proxmox.task("POST", `${QEMU}/100/status/stop`);
    await bench.proxmox.task("DELETE", `${QEMU}/100`, { purge: 1 });
    await bench.proxmox.get("GET", "/nodes/pve1/storage/local/content");
    bench.lab.turn(() => {
      const state = bench.lab.state<{ volumes: { content: string }[] }>("proxmox");
      state.volumes = state.volumes.filter(({ content }) => content !== "import");
    });
  }
  expect(uuids[0]).toBe(uuids[1]);
});

test.each([
  ["pc-q35-9.2", "models"],
  ["q35", "drive-scsi1"],
])(
  "with machine %s the link of a SCSI disk with a serial number ends in %s, and Talos shows no serial number",
  async (machine, id) => {
    await open();
    await fromImage({ machine, scsi1: "local-lvm:1,serial=models" });
    await maintenance();
    expect(bench.state.machines["vm 100"]?.hardware.disks[1]).toMatchObject({
      serial: "",
      links: [`/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_${id}`],
    });
  },
);

test("every network card is a link with its address", async () => {
  await open();
  await fromImage({ net1: "virtio=BC:24:11:00:00:99,bridge=vmbr0" });
  await maintenance();
  expect(bench.state.machines["vm 100"]?.hardware.links).toMatchObject([
    { name: "eth0", mac: "bc:24:11:00:00:31" },
    { name: "eth1", mac: "bc:24:11:00:00:99" },
  ]);
});

test("the guest agent answers when the image contains it, the machine has its device, and Talos has a config", async () => {
  await open();
  await fromImage({ agent: "1" }, "nocloud-amd64.qcow2", await schematic(["siderolabs/qemu-guest-agent"]));
  await maintenance();
  const ask = () => bench.proxmox.call("GET", `${QEMU}/100/agent/network-get-interfaces`);
  expect((await ask()).reason).toBe("QEMU guest agent is not running");
  await bench.apply(address(), cluster.config("controlplane", "cp-1"));
  await bench.eventually(() => bench.client(address(), cluster.client()).machine.version({}));
  await bench.bootstrap(bench.client(address(), cluster.client()));
  await running();
  const { body } = await ask();
  const [, eth0] = body.data.result;
  expect(eth0).toMatchObject({
    name: "eth0",
    "hardware-address": "bc:24:11:00:00:31",
    "ip-addresses": [{ "ip-address": address(), "ip-address-type": "ipv4", prefix: 24 }],
  });
});

test("a disk and a network card plugged into a running machine appear at once, and the others keep their names", async () => {
  await open();
  await fromImage({ virtio1: "local-lvm:1,serial=first" });
  await bench.apply(address(), cluster.config("controlplane", "cp-1", [volume]));
  const client = bench.client(address(), cluster.client());
  await bench.eventually(() => client.machine.version({}));
  const status = () => bench.resource(client, "runtime", "VolumeStatuses.block.talos.dev", "u-data");
  expect((await status()).phase).toBe("failed");
  await bench.proxmox.get("PUT", `${QEMU}/100/config`, {
    virtio0: "local-lvm:5,serial=data",
    net1: "virtio=BC:24:11:00:00:99,bridge=vmbr0",
  });
  await bench.eventually(async () => expect(await status()).toMatchObject({ phase: "ready", parentLocation: "/dev/vdb" }));
  const { disks, links } = bench.state.machines["vm 100"]?.hardware ?? { disks: [], links: [] };
  expect(disks.find(({ links = [] }) => links.includes("/dev/disk/by-id/virtio-first"))?.device).toBe("vda");
  expect(links.map(({ name }) => name)).toEqual(["eth0", "eth1"]);
});
