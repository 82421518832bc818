import type { ProxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readMark } from "../../src/platforms/proxmox/mark.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { foreignIn, said, violations } from "./invariants.ts";
import { Scene } from "./scene.ts";
import { expectNoViolations } from "./violation.ts";

// Actions of users and other programs on a cluster, and the expected reactions.

const ALL = ["cp-1", "worker-1", "worker-2"];
let scene: Scene;
let fresh: string;

beforeAll(async () => {
  scene = await Scene.open("situations");
  fresh = scene.lab.snapshot();
});
afterAll(() => scene.close());
beforeEach(() => scene.lab.restore(fresh));

async function standing(files: VolatileFiles = scene.folder()): Promise<VolatileFiles> {
  const outcome = await scene.up(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  return files;
}

async function machine(name: string) {
  const vm = (await scene.root.vms()).find((one) => one.config.name === name);
  if (!vm) throw new Error(`there is no ${name}`);
  return { ...vm, path: `/nodes/${vm.node}/qemu/${vm.vmid}` };
}

test("an id taken by another user is left alone, and the next one of the sequence is used", async () => {
  await standing();
  const { vmid } = await machine("worker-1");
  scene.lab.restore(fresh);
  await scene.root.task("POST", "/nodes/pve1/qemu", { vmid, name: "squatter", scsi0: "local-lvm:1" });
  const foreign = await foreignIn(scene);
  const files = await standing();
  expect((await machine("worker-1")).vmid).not.toBe(vmid);
  expectNoViolations(await violations(scene, files, { machines: ALL, foreign }));
});

test("a machine whose mark was edited away stops the run, because a second one would have the same address", async () => {
  const files = await standing();
  const worker = await machine("worker-1");
  await scene.root.call("PUT", `${worker.path}/config`, { description: "my notes" });
  const plan = await scene.plan(files);
  expect(plan.exitCode).toBe(1);
  expect(said(plan)).toContain(`MAC_IN_USE: VM ${worker.vmid} on ${worker.node} has the MAC`);
  expect((await scene.up(files)).exitCode).toBe(1);
  expect(await scene.root.vms()).toHaveLength(3);
});

test("a VM left half-created by a dead task is skipped, and listed with the command that only root can run", async () => {
  await standing();
  const { vmid } = await machine("worker-1");
  scene.lab.restore(fresh);
  // The host lost its power during qmcreate: the reservation exists, the task does not.
  const stuck = { vmid, node: "pve2", config: { lock: "create" }, pending: {}, pendingDelete: {}, seenTick: 0 };
  scene.lab.state<ProxmoxState>("proxmox").vms[String(vmid)] = stuck;
  const files = scene.folder();
  const outcome = await scene.up(files);
  expect(outcome.exitCode, said(outcome)).toBe(0);
  const findings = outcome.events.flatMap((event) => (event.type === "step.finding" ? [event.finding] : []));
  expect(findings.find((finding) => finding.code === "STUCK_VM")?.hint).toBe(
    `as root on pve2:  qm unlock ${vmid} && qm destroy ${vmid}`,
  );
  expect((await machine("worker-1")).vmid).not.toBe(vmid);
  expect((await scene.plan(files)).exitCode).toBe(0);
});

test("machines missing in the cluster's summary, because a host's broadcasts hang, are found", async () => {
  const files = await standing();
  for (const vm of Object.values(scene.lab.state<ProxmoxState>("proxmox").vms)) {
    delete vm.seen;
    vm.seenTick = Number.MAX_SAFE_INTEGER;
  }
  const summary = (await scene.root.call("GET", "/cluster/resources", { type: "vm" })) as { name?: string; status: string }[];
  expect(summary.map((vm) => [vm.name, vm.status])).toEqual(Array(3).fill([undefined, "unknown"]));
  expect((await scene.plan(files)).exitCode).toBe(0);
  expect((await scene.down(files)).exitCode).toBe(0);
  expect(await scene.root.vms(), "machines that down left behind").toEqual([]);
});

test("text that users add around the mark is no difference, and is kept", async () => {
  const files = await standing();
  const worker = await machine("worker-1");
  await scene.root.call("PUT", `${worker.path}/config`, {
    description: `ask Kim before touching\n${worker.config.description}\nreally`,
  });
  expect((await scene.plan(files)).plan?.changes).toEqual([]);
});

test("a machine without its tags is recognized, and gets them back", async () => {
  const files = await standing();
  const worker = await machine("worker-1");
  await scene.root.call("PUT", `${worker.path}/config`, { delete: "tags" });
  const { plan } = await scene.plan(files);
  expect(plan?.changes.map((change) => [change.verb, change.subject, change.fields.map((field) => field.path)])).toEqual([
    ["update", "machine worker-1", ["tags"]],
  ]);
  await standing(files);
  expect((await machine("worker-1")).config.tags).toContain("talosmith");
});

test("a second environment uses the first one's template, and down of one keeps the other's resources", async () => {
  const first = await standing(scene.folder({ method: "template", workers: 0 }));
  const second = scene.folder({ name: "other", method: "template", workers: 0, offset: 100 });
  const plan = (await scene.plan(second)).plan;
  expect(plan?.changes.map((change) => change.subject)).toEqual([
    ...["secrets.yaml", "machine configs", "talosconfig", "machine cp-1"],
  ]);
  expect((await scene.up(second, { seed: "second" })).exitCode).toBe(0);
  expect((await scene.down(first)).exitCode).toBe(0);
  const left = (await scene.root.vms()).map(
    (vm) => readMark(vm.config.description)?.cluster ?? (vm.config.template ? "template" : "?"),
  );
  expect(left.sort()).toEqual(["other", "template"]);
  expect((await scene.plan(second)).exitCode).toBe(0);
});

test("an interrupted up exits with 130, starts nothing new, and continues in the next run", async () => {
  const files = scene.folder();
  const foreign = await foreignIn(scene);
  const first = await scene.up(files, {
    interruptAt: (event) => event.type === "mutation.intent" && event.what.startsWith("create machine"),
  });
  expect(first.exitCode).toBe(130);
  expect(first.events.some((event) => event.type === "mutation.intent" && event.what.startsWith("start"))).toBe(false);
  await standing(files);
  expectNoViolations(await violations(scene, files, { machines: ALL, foreign }));
});

test("an interrupted run is named by the next one, with the work that was running", async () => {
  const files = scene.folder();
  let cut: VolatileFiles | undefined;
  files.onChange = (operation, path) => {
    if (
      operation === "sync" &&
      path.endsWith("events.jsonl") &&
      Buffer.from(files.read(path) ?? []).includes('"what":"create machine cp-1"')
    )
      cut ??= files.afterCrash();
  };
  await standing(files);
  scene.lab.restore(fresh);
  const next = await scene.up(cut as VolatileFiles);
  const notices = next.events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  expect(notices.join("\n")).toMatch(/did not finish; unfinished changes: .*create machine cp-1/);
});

test("a vmid and a mac given in the config are used", async () => {
  const files = scene.folder({
    workers: 0,
    extra: `  - { name: fixed, role: worker, ip: ${scene.at.block}.77, vmid: 4077, mac: "BC:24:11:00:00:77" }\n`,
  });
  await standing(files);
  expect(await machine("fixed")).toMatchObject({ vmid: 4077, config: { net0: expect.stringContaining("BC:24:11:00:00:77") } });
  expect((await scene.plan(files)).exitCode).toBe(0);
});

test("a vmid in the config that belongs to another user is refused with its line, before anything is done", async () => {
  await scene.root.task("POST", "/nodes/pve1/qemu", { vmid: 4077, name: "nas", scsi0: "local-lvm:1" });
  const files = scene.folder({ workers: 0, extra: `  - { name: fixed, role: worker, ip: ${scene.at.block}.77, vmid: 4077 }\n` });
  const outcome = await scene.up(files);
  expect(outcome.exitCode).toBe(1);
  const error = outcome.events
    .flatMap((event) => ((event.type === "error" || event.type === "step.finished") && event.error ? [event.error] : []))
    .find((one) => one.code === "VMID_TAKEN");
  // A new VM is listed without its name at first.
  expect(error?.message).toMatch(/is taken by the VM (?:nas|4077) on pve1$/);
  expect(error?.where?.line).toBe(16);
});
