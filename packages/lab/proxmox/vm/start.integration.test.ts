import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** Checks at a start, and who starts a machine: messages of qemu-server 9.2.6 (QemuServer.pm) and pve-storage 9.1.7 (Plugin.pm). */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({ cpus: 8, gpus: { pve1: ["nvidia rtx 4090"] } });
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu";
const start = (vmid = 100) => bench.root.outcome("POST", `${AT}/${vmid}/status/start`);
const status = async () => (await bench.root.get("GET", `${AT}/100/status/current`)).status;

test("a machine cannot have more processors than its host", async () => {
  await bench.client.task("POST", AT, { vmid: 100, cores: 5, sockets: 2 });
  expect(await start()).toBe("MAX 8 vcpus allowed per VM on this node");
});

test("a deleted ISO prevents its machine from starting", async () => {
  const iso = {
    url: `${bench.factory}/image/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba/v1.13.9/nocloud-amd64.iso`,
  };
  await bench.client.task("POST", "/nodes/pve1/storage/local/download-url", { ...iso, content: "iso", filename: "talos.iso" });
  await bench.client.task("POST", AT, { vmid: 100, ide0: "local:iso/talos.iso,media=cdrom" });
  await bench.root.task("DELETE", "/nodes/pve1/storage/local/content/local:iso/talos.iso");
  expect(await start()).toBe("volume 'local:iso/talos.iso' does not exist");
});

test("a card of the host is given to one machine at a time", async () => {
  for (const vmid of [100, 101]) await bench.root.task("POST", AT, { vmid, machine: "q35", hostpci0: "0000:41:00,pcie=1" });
  expect(await start(100)).toBe("OK");
  expect(await start(101)).toBe("PCI device '0000:41:00.0' already in use by VMID '100'");
  await bench.root.task("POST", `${AT}/100/status/stop`);
  expect(await start(101)).toBe("OK");
});

test("pausing stops a machine's processors, and prevents a shutdown", async () => {
  await bench.client.task("POST", AT, { vmid: 100 });
  await start();
  await bench.client.task("POST", `${AT}/100/status/suspend`);
  expect((await bench.root.get("GET", `${AT}/100/status/current`)).qmpstatus).toBe("paused");
  expect((await bench.client.call("POST", `${AT}/100/status/shutdown`)).reason).toBe("VM is paused - cannot shutdown");
  await bench.client.task("POST", `${AT}/100/status/resume`);
  expect((await bench.root.get("GET", `${AT}/100/status/current`)).qmpstatus).toBe("running");
});

test("high availability is requested, and acts some time after its task has ended", async () => {
  await bench.root.task("POST", AT, { vmid: 100, "ha-managed": 1 });
  const { upid, log } = await bench.client.task("POST", `${AT}/100/status/start`);
  expect(upid).toContain(":hastart:100:");
  expect(log[0]).toBe("Requesting HA start for VM 100");
  await expect.poll(status).toBe("running");
  expect((await bench.client.task("POST", `${AT}/100/status/stop`)).upid).toContain(":hastop:100:");
  await expect.poll(status).toBe("stopped");
  expect((await bench.client.call("DELETE", `${AT}/100`)).reason).toBe(
    "unable to remove VM 100 - used in HA resources and purge parameter not set.",
  );
  const { log: destroyed } = await bench.client.task("DELETE", `${AT}/100`, { purge: 1 });
  expect(destroyed).toContain("NOTE: removed VM 100 from HA resource configuration.");
});

test("a reset does not apply pending changes, a stop does", async () => {
  await bench.client.task("POST", AT, { vmid: 100 });
  await start();
  await bench.client.get("PUT", `${AT}/100/config`, { cores: 3 });
  expect((await bench.client.get("GET", `${AT}/100/config`, { current: 1 })).cores).toBeUndefined();
  await bench.client.task("POST", `${AT}/100/status/reset`);
  expect((await bench.client.get("GET", `${AT}/100/config`, { current: 1 })).cores).toBeUndefined();
  await bench.client.task("POST", `${AT}/100/status/stop`);
  expect((await bench.client.get("GET", `${AT}/100/config`, { current: 1 })).cores).toBe(3);
});
