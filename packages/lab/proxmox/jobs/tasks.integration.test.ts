import { afterEach, beforeEach, expect, test } from "vitest";
import { meetsFaults } from "../../kernel/testing/fault-contract.ts";
import { heardFrom } from "../../kernel/testing/stranger.ts";
import { refusals } from "../refusals.ts";
import { proxmoxState } from "../state.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu";
const taskAt = (upid: string, node = "pve1") => `/nodes/${node}/tasks/${encodeURIComponent(upid)}`;

test("a task of a token lists user and token separately", async () => {
  const { upid } = await bench.client.task("POST", AT, { vmid: 100 });
  expect(upid).toMatch(/^UPID:pve1:[0-9A-F]{8}:[0-9A-F]{8,9}:[0-9A-F]{8}:qmcreate:100:talosmith@pve!lab:$/);
  expect(await bench.client.get("GET", `${taskAt(upid)}/status`)).toMatchObject({
    upid,
    node: "pve1",
    type: "qmcreate",
    id: "100",
    user: "talosmith@pve",
    tokenid: "lab",
    status: "stopped",
    exitstatus: "OK",
  });
});

test("a running task has no exit status, and is RUNNING in the list", async () => {
  const slow = await Bench.open({ timeScale: 1 });
  try {
    const upid = await slow.client.get("POST", AT, { vmid: 100, scsi0: "local-lvm:1" });
    const status = await slow.client.get("GET", `${taskAt(upid)}/status`);
    expect(status.status).toBe("running");
    expect(status.exitstatus).toBeUndefined();
    const [listed] = await slow.client.get("GET", "/nodes/pve1/tasks", { source: "active" });
    expect(listed).toMatchObject({ upid, status: "RUNNING" });
    expect(await slow.client.get("GET", "/nodes/pve1/tasks")).toEqual([]);
  } finally {
    await slow.close();
  }
});

test("tasks are listed by machine and by type, newest first", async () => {
  await bench.client.task("POST", AT, { vmid: 100 });
  await bench.client.task("POST", AT, { vmid: 101 });
  await bench.client.task("POST", `${AT}/100/status/start`);
  const types = async (form: Record<string, string | number>) =>
    (await bench.client.get("GET", "/nodes/pve1/tasks", form)).map(
      (task: { type: string; id: string }) => `${task.type} ${task.id}`,
    );
  expect(await types({ vmid: 100 })).toEqual(["qmstart 100", "qmcreate 100"]);
  expect(await types({ typefilter: "qmcreate" })).toEqual(["qmcreate 101", "qmcreate 100"]);
  expect(await types({ source: "all", limit: 1 })).toEqual(["qmstart 100"]);
});

test("a log has numbered lines and their total", async () => {
  const { upid } = await bench.client.task("POST", AT, { vmid: 100, scsi0: "local-lvm:1" });
  const { body } = await bench.client.call("GET", `${taskAt(upid)}/log`, { start: 1, limit: 1 });
  expect(body).toEqual({ data: [{ n: 2, t: "TASK OK" }], total: 2 });
});

test("a task is found only on its own host", async () => {
  const { upid } = await bench.client.task("POST", AT, { vmid: 100 });
  const answer = await bench.client.call("GET", `${taskAt(upid, "pve2")}/status`);
  expect([answer.status, answer.body.errors]).toEqual([400, { upid: "no such task" }]);
  for (const [method, path] of [
    ["GET", "/status"],
    ["GET", "/log"],
    ["DELETE", ""],
  ] as const) {
    const answer = await bench.client.call(method, `/nodes/pve1/tasks/UPID:x${path}`);
    expect([answer.status, answer.body.errors]).toEqual([400, { upid: "unable to parse worker upid" }]);
  }
  const log = await bench.client.raw("GET", `${taskAt(upid, "pve2")}/log`);
  expect(log.body).toMatchObject({ data: [{ n: 1, t: "unable to open file - No such file or directory" }], total: 1 });
});

test("other users need Sys.Audit to see a task; a user sees tasks of its tokens, a token does not see those of its user", async () => {
  const { upid } = await bench.root.task("POST", AT, { vmid: 100 });
  const stranger = await bench.userWith("stranger", {});
  expect((await stranger.call("GET", `${taskAt(upid)}/status`)).reason).toBe("Permission check failed (/nodes/pve1, Sys.Audit)");
  const made = await bench.root.get("POST", "/access/users/root@pam/token/ci");
  const token = bench.person({ Authorization: `PVEAPIToken=root@pam!ci=${made.value}` });
  expect((await token.call("GET", `${taskAt(upid)}/status`)).status).toBe(403);
});

test("aborting a task ends it and undoes its work", async () => {
  const slow = await Bench.open({ timeScale: 10 });
  try {
    await slow.image();
    const upid = await slow.client.get("POST", AT, { vmid: 100, scsi0: "local-lvm:0,import-from=local:import/talos.qcow2" });
    await slow.lab.sleep(1500);
    expect(await slow.client.get("DELETE", taskAt(upid))).toBeNull();
    expect((await slow.client.end(upid)).exitstatus).toBe("unable to create VM 100 - received interrupt");
    expect(await slow.client.get("GET", "/nodes/pve1/storage/local-lvm/content")).toEqual([]);
  } finally {
    await slow.close();
  }
});

test("a task with a fault ends with the fault's text, and its call is accepted", async () => {
  bench.lab.setFaults([
    { site: "POST /nodes/:node/qemu", resource: "vm 100", fault: { kind: "task-error", message: "disk on fire" } },
  ]);
  const status = await bench.client.outcome("POST", AT, { vmid: 100, scsi0: "local-lvm:1" });
  expect(status).toBe("unable to create VM 100 - disk on fire");
  expect((await bench.client.call("GET", `${AT}/100/config`)).status).toBe(500);
  bench.lab.setFaults([
    { site: "*/status/start", fault: { kind: "task-error", message: "start failed: QEMU exited with code 1" } },
  ]);
  await bench.client.task("POST", AT, { vmid: 101 });
  expect(await bench.client.outcome("POST", `${AT}/101/status/start`)).toBe("start failed: QEMU exited with code 1");
});

test("a fault of kind refuse looks like an error of Proxmox", async () => {
  const message = "got no worker upid - start worker failed";
  bench.lab.setFaults([{ site: "GET /version", fault: { kind: "refuse", status: 500, message } }]);
  const answer = await bench.client.call("GET", "/version");
  expect([answer.status, answer.reason, answer.body]).toEqual([500, message, { data: null, message: `${message}\n` }]);
});

test("a call whose response is lost has taken effect", async () => {
  bench.lab.setFaults([{ site: "POST /nodes/:node/qemu", fault: { kind: "cut-after" } }]);
  await expect(bench.client.call("POST", AT, { vmid: 100 })).rejects.toThrow();
  bench.lab.setFaults([]);
  expect((await bench.client.call("GET", `${AT}/100/config`)).status).toBe(200);
});

test("calls are recorded with their subject", async () => {
  await bench.image();
  await bench.client.task("POST", AT, { vmid: 100 });
  await bench.client.task("POST", `${AT}/100/clone`, { newid: 101 });
  const calls = bench.lab.recorder.calls().filter((call) => call.service === "proxmox" && call.mutating);
  expect(calls.map(({ site, resource, status }) => [site, resource, status])).toEqual([
    ["POST /nodes/:node/storage/:storage/download-url", "pve1:local talos.qcow2", 200],
    ["POST /nodes/:node/qemu", "vm 100", 200],
    ["POST /nodes/:node/qemu/:vmid/clone", "vm 101", 200],
  ]);
});

test("a task in a restored snapshot continues and finishes", async () => {
  const slow = await Bench.open({ timeScale: 10 });
  const other = await Bench.open({ seed: "other" });
  try {
    await slow.image();
    const upid = await slow.client.get("POST", AT, { vmid: 100, scsi0: "local-lvm:0,import-from=local:import/talos.qcow2" });
    await slow.lab.sleep(1500);
    const snapshot = slow.lab.snapshot();
    expect(JSON.parse(snapshot).services.proxmox.tasks.at(-1)).not.toHaveProperty("exitstatus");
    await slow.close();
    other.lab.restore(snapshot);
    expect((await other.client.call("GET", "/version")).status).toBe(401);
    const token = other.lab.published().proxmox?.token;
    const client = other.person({ Authorization: `PVEAPIToken=${token}` });
    expect((await client.end(upid)).exitstatus).toBe("OK");
    expect((await client.get("GET", `${AT}/100/config`)).scsi0).toBe("local-lvm:vm-100-disk-0,size=1248M");
  } finally {
    await slow.close();
    await other.close();
  }
});

test("a download that was running in a snapshot starts again and finishes", async () => {
  const slow = await Bench.open({ timeScale: 1 });
  try {
    const upid = await slow.client.get("POST", "/nodes/pve1/storage/local/download-url", {
      url: `${slow.factory}/image/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba/v1.13.9/nocloud-amd64.qcow2`,
      content: "import",
      filename: "talos.qcow2",
    });
    await slow.lab.sleep(300);
    const snapshot = slow.lab.snapshot();
    await slow.close();
    const again = await Bench.open({ address: slow.lab.address.prefix });
    try {
      again.lab.restore(snapshot);
      expect((await again.client.end(upid)).exitstatus).toBe("OK");
      expect(await again.client.get("GET", "/nodes/pve1/storage/local/content")).toHaveLength(1);
    } finally {
      await again.close();
    }
  } finally {
    await slow.close();
  }
});

test("the same seed gives the same machines", async () => {
  const form = { vmid: 100, net0: "virtio,bridge=vmbr0", scsi0: "local-lvm:1" };
  const configs = [];
  for (const seed of ["a", "a", "b"]) {
    const one = await Bench.open({ seed });
    try {
      await one.client.task("POST", AT, form);
      const { meta: _, digest: __, ...rest } = await one.client.get("GET", `${AT}/100/config`);
      configs.push({ ...rest, token: one.lab.published().proxmox?.token });
    } finally {
      await one.close();
    }
  }
  expect(configs[0]).toEqual(configs[1]);
  expect(configs[0]?.net0).not.toBe(configs[2]?.net0);
});

test("the certificate survives a restore", async () => {
  const before = bench.lab.published().proxmox?.fingerprint;
  bench.lab.restore(bench.lab.snapshot());
  expect(bench.lab.published().proxmox?.fingerprint).toBe(before);
});

test("every kind of fault has its effect on a call", async () => {
  const { lab } = bench;
  const { url, token } = lab.published().proxmox ?? {};
  const headers = { authorization: `PVEAPIToken=${token}`, "content-type": "application/x-www-form-urlencoded" };
  const service = "proxmox";
  const get = { service, site: "GET /version", make: () => heardFrom(`${url}/api2/json/version`, { headers }) };
  await meetsFaults(lab, get, refusals["got-timeout"]);
  const post = {
    service,
    site: "POST /nodes/:node/qemu",
    make: (n: number) => heardFrom(`${url}/api2/json${AT}`, { method: "POST", headers, body: `vmid=${700 + n}` }),
    effect: () =>
      lab.turn(() => proxmoxState(lab).tasks.length + proxmoxState(lab).jobs.length + Object.keys(proxmoxState(lab).vms).length),
  };
  await meetsFaults(lab, post, refusals["lock-timeout"]);
});
