import { afterEach, expect, test } from "vitest";
import { proxmoxState } from "../state.ts";
import { Bench, type BenchOptions } from "../testing/bench.ts";
import type { Form } from "../testing/raw-client.ts";

let bench: Bench;
afterEach(() => bench.close());

const GPU = "0000:41:00";
const ENTRY = `node=pve1,path=${GPU}.0,id=10de:2684,subsystem-id=1458:40bf,iommugroup=30`;

async function open(options: BenchOptions = {}): Promise<void> {
  bench = await Bench.open({ gpus: { pve1: ["nvidia rtx 4090"] }, ...options });
}

async function map(id: string, ...entries: string[]): Promise<void> {
  const answer = await bench.root.json("POST", "/cluster/mapping/pci", { id, map: entries });
  expect([answer.status, answer.text]).toEqual([200, '{"data":null}']);
}

/** The result of starting a machine with this config. */
async function start(vmid: number, config: Form): Promise<string> {
  await bench.root.task("POST", "/nodes/pve1/qemu", { vmid, ...config });
  return bench.root.outcome("POST", `/nodes/pve1/qemu/${vmid}/status/start`);
}

test("a card is listed with its functions in their own group, and bridges are listed only on request", async () => {
  await open();
  const devices: { id: string }[] = await bench.client.get("GET", "/nodes/pve1/hardware/pci");
  expect(devices.filter(({ id }) => id.startsWith(GPU))).toEqual([
    {
      id: `${GPU}.0`,
      class: "0x030000",
      vendor: "0x10de",
      device: "0x2684",
      vendor_name: "NVIDIA Corporation",
      device_name: "AD102 [GeForce RTX 4090]",
      subsystem_vendor: "0x1458",
      subsystem_device: "0x40bf",
      subsystem_vendor_name: "Gigabyte Technology Co., Ltd",
      iommugroup: 30,
    },
    expect.objectContaining({ id: `${GPU}.1`, class: "0x040300", iommugroup: 30 }),
  ]);
  const classes = async (form: Form) =>
    (await bench.client.get("GET", "/nodes/pve1/hardware/pci", form)).map((one: { class: string }) => one.class.slice(0, 4));
  expect(await classes({})).not.toContain("0x06");
  expect(await classes({ "pci-class-blacklist": "" })).toContain("0x06");
  expect(await classes({ "pci-class-blacklist": "02,03" })).not.toContain("0x03");
});

test("with the IOMMU off, every device is in group -1", async () => {
  await open({ iommu: false });
  const devices: { iommugroup: number }[] = await bench.client.get("GET", "/nodes/pve1/hardware/pci");
  expect(new Set(devices.map(({ iommugroup }) => iommugroup))).toEqual(new Set([-1]));
});

test("USB devices are listed only for users who may change hosts", async () => {
  await open();
  const answer = await bench.client.call("GET", "/nodes/pve1/hardware/usb");
  expect([answer.status, answer.reason]).toEqual([403, "Permission check failed (/, Sys.Modify)"]);
  expect(await bench.root.get("GET", "/nodes/pve1/hardware/usb")).toContainEqual(
    expect.objectContaining({ vendid: "10c4", prodid: "ea60", usbpath: "2", speed: "12" }),
  );
});

test("a mapping is created, listed, changed by digest and deleted with the necessary rights", async () => {
  await open();
  const refused = await bench.client.call("POST", "/cluster/mapping/pci", { id: "gpu0", map: ENTRY });
  expect(refused.reason).toBe("Permission check failed (/mapping/pci, Mapping.Modify)");
  await map("gpu0", ENTRY);
  const again = await bench.root.call("POST", "/cluster/mapping/pci", { id: "gpu0", map: ENTRY });
  expect(again.reason).toBe("create hardware mapping failed: pci ID 'gpu0' already defined");
  const [seen] = await bench.client.get("GET", "/cluster/mapping/pci");
  expect(seen).toEqual({ id: "gpu0", type: "pci", map: [ENTRY], digest: expect.stringMatching(/^[0-9a-f]{40}$/) });
  const powerless = await bench.userWith("powerless", {});
  expect(await powerless.get("GET", "/cluster/mapping/pci")).toEqual([]);
  expect((await powerless.call("GET", "/cluster/mapping/pci/gpu0")).reason).toBe("Permission check failed");
  const stale = await bench.root.call("PUT", "/cluster/mapping/pci/gpu0", { description: "x", digest: "0".repeat(40) });
  expect(stale.reason).toBe(
    "update hardware mapping failed: detected modified configuration - file changed by other user? Try again.",
  );
  await bench.root.get("PUT", "/cluster/mapping/pci/gpu0", { description: "the big one", digest: seen.digest });
  expect((await bench.root.get("GET", "/cluster/mapping/pci/gpu0")).description).toBe("the big one");
  await bench.root.get("DELETE", "/cluster/mapping/pci/gpu0");
  expect((await bench.root.call("GET", "/cluster/mapping/pci/gpu0")).reason).toBe("mapping 'gpu0' not found");
});

test("an invalid entry is refused with its index", async () => {
  await open();
  const answer = await bench.root.json("POST", "/cluster/mapping/pci", { id: "gpu0", map: [ENTRY, "node=pve1,path=01:00"] });
  expect(answer.status).toBe(400);
  expect(Object.keys(answer.body.errors)).toEqual(["map[1]"]);
});

/** Messages of PVE::Mapping::PCI, assert_valid. */
test.each([
  [ENTRY, undefined],
  [ENTRY.replace("iommugroup=30", "iommugroup=14"), "'iommugroup' does not match for 'gpu0' (30 != 14)"],
  [ENTRY.replace(",subsystem-id=1458:40bf", ""), `missing expected property 'subsystem-id' for device '${GPU}.0'`],
  [ENTRY.replace("10de:2684", "10de:2204"), "'id' does not match for 'gpu0' (10de:2684 != 10de:2204)"],
  [ENTRY.replace("41:00.0", "42:00"), "pci device '0000:42:00.0' not found"],
])("checking %s gives: %s", async (entry, complaint) => {
  await open();
  await map("gpu0", entry);
  const [{ checks }] = await bench.root.get("GET", "/cluster/mapping/pci", { "check-node": "pve1" });
  expect(checks).toEqual(complaint ? [{ severity: "error", message: `Invalid configuration: ${complaint}\n` }] : []);
  const [elsewhere] = await bench.root.get("GET", "/cluster/mapping/pci", { "check-node": "pve2" });
  expect(elsewhere.checks).toEqual([{ severity: "warning", message: "No mapping for node pve2." }]);
  const end = await start(100, { machine: "q35", hostpci0: "mapping=gpu0,pcie=1" });
  expect(end).toBe(complaint ? `PCI device mapping invalid (hardware probably changed): ${complaint}` : "OK");
});

test("a running machine holds its card exclusively, and releases it when it stops", async () => {
  await open();
  await map("gpu0", ENTRY);
  const config = { machine: "q35", hostpci0: "mapping=gpu0,pcie=1" };
  expect(await start(100, config)).toBe("OK");
  expect(proxmoxState(bench.lab).vms[100]?.power?.pci).toEqual([`${GPU}.0`]);
  expect(await start(101, config)).toBe(`PCI device '${GPU}.0' already in use by VMID '100'`);
  await bench.root.task("POST", "/nodes/pve1/qemu/100/status/stop");
  expect(await bench.root.outcome("POST", "/nodes/pve1/qemu/101/status/start")).toBe("OK");
});

test("of several entries the first free one is chosen", async () => {
  await open({ gpus: { pve1: ["nvidia", "nvidia"] } });
  await map("gpus", ENTRY, ENTRY.replace("41:00", "42:00").replace("=30", "=31"));
  const config = { machine: "q35", hostpci0: "mapping=gpus,pcie=1" };
  expect([await start(100, config), await start(101, config)]).toEqual(["OK", "OK"]);
  expect(proxmoxState(bench.lab).vms[101]?.power?.pci).toEqual(["0000:42:00.0"]);
  expect(await start(102, config)).toBe("could not find a free device for 'hostpci0'");
});

test.each([
  ["mapping=none,pcie=1", "q35", "PCI device mapping not found for 'none'"],
  ["0000:99:00,pcie=1", "q35", "no PCI device found for '0000:99:00'"],
  [`${GPU},pcie=1`, "pc", "q35 machine model is not enabled"],
  [`${GPU},pcie=1`, "q35", "OK"],
])("hostpci0=%s on %s fails with: %s", async (hostpci0, machine, end) => {
  await open();
  expect(await start(100, { machine, hostpci0 })).toBe(end);
});

test("the same device twice in one machine is refused", async () => {
  await open();
  expect(await start(100, { machine: "q35", hostpci0: GPU, hostpci1: `${GPU}.1` })).toBe(
    `device '${GPU}.1' assigned more than once`,
  );
});

test("without an IOMMU no device is passed through", async () => {
  await open({ iommu: false });
  expect(await start(100, { machine: "q35", hostpci0: GPU })).toBe("cannot prepare PCI pass-through, IOMMU not present");
});

test("a USB mapping must name a device that is plugged in", async () => {
  await open();
  await bench.root.get("POST", "/cluster/mapping/usb", { id: "stick", map: "node=pve1,id=10c4:ea60" });
  await bench.root.get("POST", "/cluster/mapping/usb", { id: "gone", map: "node=pve1,id=1a86:55d4" });
  expect(await start(100, { usb0: "mapping=stick" })).toBe("OK");
  expect(await start(101, { usb0: "mapping=gone" })).toBe(
    "USB Mapping invalid (hardware probably changed): usb device '1a86:55d4' not found",
  );
});

// PVE::Mapping::Dir, in both releases.
test("a folder mapping names one existing folder on each host", async () => {
  await open();
  const post = (map: string[]) => bench.root.json("POST", "/cluster/mapping/dir", { id: "share", description: "files", map });
  expect((await post(["node=pve1,path=/nowhere"])).reason).toBe("Path /nowhere does not exist");
  expect((await post(["node=pve2,path=/srv", "node=pve2,path=/mnt"])).reason).toBe("Node 'pve2' is specified 2 times.");
  expect((await post(["node=pve1,path=srv"])).body.errors).toEqual({
    "map[0]": expect.stringContaining("map[0].path: invalid format - Value does not look like a valid absolute path."),
  });
  expect((await post(["node=pve1,path=/srv"])).status).toBe(200);
  expect((await post(["node=pve1,path=/srv"])).reason).toBe("create directory mapping failed: dir ID 'share' already defined");
  expect(await bench.root.get("GET", "/cluster/mapping/dir/share")).toEqual({
    type: "dir",
    description: "files",
    map: ["node=pve1,path=/srv"],
    digest: expect.any(String),
  });
  const change = await bench.root.call("PUT", "/cluster/mapping/dir/share", { map: "node=pve1,path=/nowhere" });
  expect(change.reason).toBe("update directory mapping failed: Path /nowhere does not exist");
  expect(await bench.root.get("GET", "/cluster/mapping/dir", { "check-node": "pve2" })).toMatchObject([
    { id: "share", checks: [{ severity: "warning", message: "No mapping for node pve2." }] },
  ]);
  await bench.root.get("DELETE", "/cluster/mapping/dir/share");
  expect((await bench.root.call("GET", "/cluster/mapping/dir/share")).reason).toBe("mapping 'share' not found");
});
