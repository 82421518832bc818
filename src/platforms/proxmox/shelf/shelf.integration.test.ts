import { afterEach, beforeEach, expect, test } from "vitest";
import { FILE, IMAGE, ImageBench } from "../testing/image-bench.ts";
import { testNode } from "../testing/test-node.ts";

/* What is kept on the hosts, for whom, and how it goes. */

let bench: ImageBench;
beforeEach(async () => {
  bench = await ImageBench.open();
});
afterEach(async () => {
  await bench.close();
});

test("all images and templates of talosmith are listed with their use, and nothing else", async () => {
  await bench.up({ talos: "v1.13.8" });
  const nodes = [testNode({}), testNode({ name: "worker-2", ip: "10.10.0.22" })];
  await bench.up({ nodes });
  const first = bench.volume(FILE);
  // Files of another origin, with similar names.
  bench.state.volumes.push(
    { ...first, name: "import/talos-v1.13.9-amd64-mine.qcow2" },
    { ...first, name: "iso/debian.iso", content: "iso" },
  );
  expect(await bench.stored({ nodes })).toMatchObject([
    { name: "talos-v1.13.8-amd64-37656798", kind: "image", where: "pve1:local", wanted: false, users: [] },
    { name: IMAGE, kind: "image", where: "pve1:local", bytes: first.size, wanted: true, users: [], detail: { volume: FILE } },
  ]);
});

test("removed images are gone, and the others unchanged", async () => {
  await bench.up({ talos: "v1.13.8" });
  await bench.up({ nodes: [testNode({}), testNode({ name: "worker-2", ip: "10.10.0.22" })] });
  await (await bench.root()).call("PUT", "/access/acl", {
    path: "/storage/local",
    users: "talosmith@pve",
    roles: "PVEDatastoreAdmin",
  });
  const results = await bench.remove({}, (one) => !one.wanted);
  expect(results).toMatchObject([
    { outcome: "changed", changes: [{ verb: "delete", subject: "image talos-v1.13.8-amd64-37656798 on pve1:local" }] },
  ]);
  expect((await bench.stored({})).map(({ name }) => name)).toEqual([IMAGE]);
});

test("a login that may not remove files gets the command that grants it", async () => {
  await bench.up({});
  bench.forbid("Datastore.Allocate");
  const [result] = await bench.remove({}, () => true);
  expect(result?.error).toMatchObject({
    code: "PROXMOX_PERMISSION",
    hint: expect.stringContaining(
      "pveum acl modify /storage/local --users talosmith@pve --tokens 'talosmith@pve!lab' --roles PVEDatastoreAdmin",
    ),
  });
  expect(await bench.stored({})).toHaveLength(1);
});

test("a template is in use as long as a linked clone shares its disk; on LVM-thin none does", async () => {
  await (await bench.root()).call("PUT", "/storage/local", { content: "iso,import,images" });
  const nodes = [testNode({ storage: "local" }), testNode({ name: "worker-2", ip: "10.10.0.22" })];
  const image = { method: "template", clone: "linked" } as const;
  await bench.up({ nodes, image });
  const all = await bench.stored({ nodes, image });
  const worker = Object.values(bench.state.vms).find(({ config }) => config.name === "worker-1");
  expect(all.map(({ kind, where, users, wanted }) => ({ kind, where, users, wanted }))).toEqual([
    { kind: "image", where: "pve1:local", users: [], wanted: true },
    { kind: "template", where: "pve1:local", users: [`VM ${worker?.vmid} (worker-1)`], wanted: true },
    { kind: "template", where: "pve1:local-lvm", users: [], wanted: true },
  ]);
  const results = await bench.remove({ nodes, image }, (one) => one.kind === "template" && one.users.length === 0);
  expect(results.map(({ outcome }) => outcome)).toEqual(["changed"]);
  expect((await bench.stored({ nodes, image })).map(({ where }) => where)).toEqual(["pve1:local", "pve1:local"]);
});

test("a template on a storage that the token may not list is shown with unknown use", async () => {
  const image = { method: "template", clone: "linked" } as const;
  await bench.up({ image });
  await (await bench.root()).call("PUT", "/access/acl", {
    path: "/storage/local-lvm",
    users: "talosmith@pve",
    roles: "NoAccess",
  });
  expect(await bench.stored({ image })).toMatchObject([
    { kind: "image", where: "pve1:local", users: [] },
    { kind: "template", users: [], usersUnknown: "not known: talosmith@pve!lab may not list local-lvm" },
  ]);
});

test("an ISO in a drive of any machine is in use", async () => {
  const image = { method: "iso" } as const;
  await bench.up({ image });
  const admin = await bench.root();
  await admin.call("POST", "/nodes/pve1/qemu", { vmid: 555, name: "somebody", ide2: `local:iso/${IMAGE}.iso,media=cdrom` });
  await expect.poll(async () => (await bench.stored({ image }))[0]?.users).toEqual(["VM 555 (somebody)"]);
});

test("an incomplete template is completed by the next run, and can be removed", async () => {
  const image = { method: "template", clone: "full" } as const;
  await bench.up({ image });
  const half = Object.values(bench.state.vms).find(({ config }) => config.template === "1");
  if (!half) throw new Error("no template");
  delete half.config.template;
  const nodes = [testNode({}), testNode({ name: "worker-2", ip: "10.10.0.22" })];
  expect((await bench.changes({ nodes, image })).filter((line) => line.includes("template"))).toEqual([
    `update template ${IMAGE} on pve1:local-lvm`,
  ]);
  expect((await bench.remove({ image }, (one) => one.kind === "template")).map(({ outcome }) => outcome)).toEqual(["changed"]);
  expect(bench.state.vms[half.vmid]).toBeUndefined();
});

test("a template with an attached user disk is in use", async () => {
  const image = { method: "template", clone: "full" } as const;
  await bench.up({ image });
  const template = Object.values(bench.state.vms).find(({ config }) => config.template === "1");
  if (!template) throw new Error("no template");
  const [first] = bench.state.volumes.filter(({ vmid }) => vmid === template.vmid);
  if (!first) throw new Error("no disk");
  const volume = `vm-${template.vmid}-disk-7`;
  bench.state.volumes.push({ ...first, serial: 4711, name: volume });
  template.config.scsi5 = `local-lvm:${volume},size=1G`;
  const [stored] = (await bench.stored({ image })).filter(({ kind }) => kind === "template");
  expect(stored?.users).toEqual([`scsi5, a disk that talosmith did not create (local-lvm:${volume})`]);
  expect(await bench.remove({ image }, ({ kind }) => kind === "template")).toMatchObject([
    { outcome: "failed", error: { code: "NOT_OURS" } },
  ]);
});

test("a manual copy of a template is foreign, despite its notes", async () => {
  const image = { method: "template", clone: "full" } as const;
  await bench.up({ image });
  const template = Object.values(bench.state.vms).find(({ config }) => config.template === "1");
  if (!template) throw new Error("no template");
  const { config } = template;
  bench.state.vms[700] = { ...template, vmid: 700, config: { ...config } };
  const all = await bench.stored({ image });
  expect(all.filter(({ kind }) => kind === "template").map(({ detail }) => detail.vmid)).toEqual([template.vmid]);
});
