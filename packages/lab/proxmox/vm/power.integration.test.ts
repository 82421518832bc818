import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu/100";

async function machine(form: Record<string, string | number> = {}): Promise<void> {
  await bench.client.task("POST", "/nodes/pve1/qemu", { vmid: 100, ...form });
}

/** A guest on its disk that reacts to the power button. */
async function guest(): Promise<void> {
  await bench.image();
  await machine({ scsi0: "local-lvm:0,import-from=local:import/talos.qcow2" });
}

const power = (verb: string, form: Record<string, string | number> = {}) =>
  bench.client.outcome("POST", `${AT}/status/${verb}`, form);
const status = async () => (await bench.client.get("GET", `${AT}/status/current`)).status;

test("a machine starts and stops", async () => {
  await machine();
  expect(await status()).toBe("stopped");
  expect(await power("start")).toBe("OK");
  expect(await bench.client.get("GET", `${AT}/status/current`)).toMatchObject({ status: "running", qmpstatus: "running" });
  expect(await power("stop")).toBe("OK");
  expect(await status()).toBe("stopped");
});

test("starting a running machine fails in the task", async () => {
  await machine();
  await power("start");
  expect(await power("start")).toBe("VM 100 already running");
});

// Responses of pvedaemon 9.2.11: the worker is the first to look for the machine.
test.each([
  ["start", "Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist"],
  ["stop", "unable to find configuration file for VM 100 on node 'pve1'"],
  ["shutdown", "unable to find configuration file for VM 100 on node 'pve1'"],
])("a %s of a machine that does not exist is accepted, and its task fails", async (verb, end) => {
  expect(await power(verb)).toBe(end);
});

test.each(["reboot", "reset", "suspend", "resume"])("a %s of a machine that does not exist is refused", async (verb) => {
  const answer = await bench.client.call("POST", `${AT}/status/${verb}`);
  expect([answer.status, answer.reason]).toEqual([500, "unable to find configuration file for VM 100 on node 'pve1'"]);
});

test("stopping a stopped machine succeeds", async () => {
  await machine();
  expect(await power("stop")).toBe("OK");
});

test.each(["reset", "reboot"])("%s of a stopped machine fails in the call", async (verb) => {
  await machine();
  const answer = await bench.client.call("POST", `${AT}/status/${verb}`);
  expect([answer.status, answer.reason]).toEqual([500, "VM 100 not running"]);
});

test("a guest shuts down on request", async () => {
  await guest();
  await power("start");
  expect(await power("shutdown")).toBe("OK");
  expect(await status()).toBe("stopped");
});

test("a machine with an empty disk does not react to its power button", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await power("start");
  expect(await power("shutdown", { timeout: 5 })).toBe("VM quit/powerdown failed - got timeout");
  expect(await status()).toBe("running");
});

test("forceStop kills a machine that does not shut down", async () => {
  await machine();
  await power("start");
  const end = await bench.client.task("POST", `${AT}/status/shutdown`, { timeout: 5, forceStop: 1 });
  expect(end.log).toContain("VM still running - terminating now with SIGTERM");
  expect(await status()).toBe("stopped");
});

test("while a shutdown holds the lock, a stop times out and a config change fails", async () => {
  const slow = await Bench.open({ timeScale: 50 });
  try {
    await slow.client.task("POST", "/nodes/pve1/qemu", { vmid: 100 });
    await slow.client.task("POST", `${AT}/status/start`);
    const shutdown = await slow.client.get("POST", `${AT}/status/shutdown`);
    const timeout = "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout";
    const [stop, change] = await Promise.all([
      slow.client.end(await slow.client.get("POST", `${AT}/status/stop`)),
      slow.client.call("PUT", `${AT}/config`, { cores: 2 }),
    ]);
    expect(stop.exitstatus).toBe(timeout);
    expect(stop.log[0]).toBe("trying to acquire lock...");
    expect([change.status, change.reason]).toEqual([500, timeout]);
    expect(await slow.client.outcome("POST", `${AT}/status/stop`, { "overrule-shutdown": 1 })).toBe("OK");
    expect((await slow.client.end(shutdown)).exitstatus).toBe("received interrupt");
  } finally {
    await slow.close();
  }
});

test("a reboot's task ends before the machine runs again, and pending changes are applied", async () => {
  const slow = await Bench.open({ timeScale: 6 });
  try {
    await slow.image();
    await slow.client.task("POST", "/nodes/pve1/qemu", {
      vmid: 100,
      cores: 1,
      scsi0: "local-lvm:0,import-from=local:import/talos.qcow2",
    });
    await slow.client.task("POST", `${AT}/status/start`);
    await slow.client.get("PUT", `${AT}/config`, { cores: 2 });
    await slow.client.task("POST", `${AT}/status/reboot`);
    expect((await slow.client.get("GET", `${AT}/status/current`)).status).toBe("stopped");
    await slow.lab.sleep(5000);
    expect((await slow.client.get("GET", `${AT}/status/current`)).status).toBe("running");
    expect((await slow.client.get("GET", `${AT}/config`, { current: 1 })).cores).toBe(2);
  } finally {
    await slow.close();
  }
});

test("a reset applies no pending changes", async () => {
  await machine({ cores: 1 });
  await power("start");
  await bench.client.get("PUT", `${AT}/config`, { cores: 2 });
  expect(await power("reset")).toBe("OK");
  expect((await bench.client.get("GET", `${AT}/config`, { current: 1 })).cores).toBe(1);
});

test("a missing bridge is detected at the start", async () => {
  await bench.root.task("POST", "/nodes/pve1/qemu", { vmid: 100, net0: "virtio,bridge=vmbr9" });
  expect(await power("start")).toBe("bridge 'vmbr9' does not exist");
});

test("a template cannot be started", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await bench.client.task("POST", `${AT}/template`);
  expect(await power("start")).toBe("you can't start a vm if it's a template");
});

test("a running machine cannot be destroyed", async () => {
  await machine();
  await power("start");
  const answer = await bench.client.call("DELETE", AT);
  expect([answer.status, answer.reason]).toEqual([500, "VM 100 is running - destroy failed"]);
});

test("without a guest agent its calls fail", async () => {
  await machine();
  const ask = async () => (await bench.client.call("GET", `${AT}/agent/network-get-interfaces`)).reason;
  expect(await ask()).toBe("No QEMU guest agent configured");
  await bench.client.get("PUT", `${AT}/config`, { agent: 1 });
  expect(await ask()).toBe("VM 100 is not running");
  await power("start");
  expect(await ask()).toBe("QEMU guest agent is not running");
});
