import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { contentOf } from "@talosmith/lab/proxmox/storage/volumes.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FILE, IMAGE, ImageBench } from "./testing/image-bench.ts";
import { testNode } from "./testing/test-node.ts";

/* How what machines are made from comes to a host. */

const closing: (() => unknown)[] = [];
let bench: ImageBench;
beforeEach(async () => {
  bench = await ImageBench.open();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await bench.close();
});

/** A factory that this computer reaches, but not the hosts, which download with wget. */
async function factoryBehindFirewall(): Promise<string> {
  const inner = bench.lab.published().factory?.url ?? "";
  const server = createServer((request, response) => {
    if (request.headers["user-agent"]?.startsWith("Wget")) return void request.socket.destroy();
    const { method, headers, url } = request;
    const on = httpRequest(`${inner}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(on);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  closing.push(() => new Promise((closed) => server.close(closed)));
  closing.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a host fetches the image itself, and nothing goes through this computer", async () => {
  const { done, warnings } = await bench.up({});
  expect(done.filter((what) => what.includes(IMAGE))).toEqual([`download ${IMAGE}.qcow2`]);
  expect(warnings).toEqual([]);
  expect(bench.files.paths().filter((path) => path.includes("upload-"))).toEqual([]);
});

const mayNotFetch = async () => bench.forbid("Sys.AccessNetwork", "Sys.Modify");

test.each([
  ["may not fetch anything", mayNotFetch],
  ["cannot reach the factory", factoryBehindFirewall],
])("where hosts %s, the image is uploaded from this computer, verified, reported, and deleted here", async (_, arrange) => {
  const factory = await arrange();
  const nodes = [testNode({}), testNode({ name: "worker-2", ip: "10.10.0.22" })];
  const wishes = { hosts: ["pve1", "pve2"], nodes, ...(factory !== undefined && { image: { factory } }) };
  const { done, warnings } = await bench.up(wishes);
  expect(done.filter((what) => what.startsWith("upload"))).toEqual([`upload ${IMAGE}.qcow2`, `upload ${IMAGE}.qcow2`]);
  expect(warnings).toContain("IMAGE_UPLOADED");
  expect(bench.files.paths().filter((path) => path.includes("upload-"))).toEqual([]);
  const stored = bench.volume(FILE);
  const records = JSON.parse(Buffer.from(bench.files.read("/env/.talosmith/images.json") ?? "").toString());
  expect(records[`pve1 ${FILE}`]).toMatchObject({ by: "upload", sha256: stored.sha256 });
  expect(contentOf(bench.state, stored)).toHaveLength(records[`pve1 ${FILE}`].bytes);
  expect(await bench.changes(wishes)).toEqual([]);
});

test("an interrupted upload is repeated and replaces the incomplete file", async () => {
  await mayNotFetch();
  await bench.up({});
  const stored = bench.volume(FILE);
  stored.size -= 1000;
  const nodes = [testNode({}), testNode({ name: "worker-2", ip: "10.10.0.22" })];
  expect(await bench.changes({ nodes })).toContain(`update image ${IMAGE} on pve1:local`);
  await bench.up({ nodes });
  expect(bench.volume(FILE).size).toBe(stored.size + 1000);
  expect(await bench.changes({ nodes })).toEqual([]);
});

test("another Talos release is another image; machines and the old image stay as they are", async () => {
  await bench.up({});
  const nodes = [testNode({}), testNode({ name: "worker-2", ip: "10.10.0.22" })];
  const { done } = await bench.up({ nodes, talos: "v1.13.8" });
  expect(done.filter((what) => what.startsWith("create") || what.startsWith("download"))).toEqual([
    "download talos-v1.13.8-amd64-37656798.qcow2",
    "create machine worker-2",
  ]);
  expect(bench.volume(FILE)).toBeDefined();
});

test("with method iso a machine starts from its ISO, the ISO is detached when Talos is on its disk, and the second plan is empty", async () => {
  const wishes = { image: { method: "iso" } } as const;
  expect(await bench.changes(wishes)).toEqual([
    `create ISO ${IMAGE} on pve1:local`,
    "create machine worker-1",
    "update installation ISO of worker-1",
  ]);
  const { done } = await bench.up(wishes);
  expect(done).toContain("detach the installation ISO of worker-1");
  expect(await bench.changes(wishes)).toEqual([]);
  const { found } = await bench.plan(wishes);
  expect(found.owned[0]?.detail.iso).toBeUndefined();
});

test("a Talos ISO that is attached again is a change, and is detached again", async () => {
  const wishes = { image: { method: "iso" } } as const;
  await bench.up(wishes);
  const [vm] = Object.values(bench.state.vms);
  const admin = await bench.root();
  await admin.call("PUT", `/nodes/pve1/qemu/${vm?.vmid}/config`, { ide0: `local:iso/${IMAGE}.iso,media=cdrom` });
  const { found } = await bench.plan(wishes);
  expect(found.owned[0]?.where).toContain("its installation ISO attached");
  expect(await bench.changes(wishes)).toContain("update installation ISO of worker-1");
  await bench.up(wishes);
  expect(await bench.changes(wishes)).toEqual([]);
});

test("Secure Boot with a disk image without keys is refused, with a hint", async () => {
  const image = { secureboot: true };
  await expect(bench.plan({ image })).rejects.toMatchObject({
    code: "SECUREBOOT_MEDIUM",
    hint: expect.stringContaining("method: iso"),
  });
});

test("a template with an interrupted conversion is completed before machines are cloned from it", async () => {
  const wishes = { nodes: [testNode({})], image: { method: "template", clone: "linked" } } as const;
  await bench.up(wishes);
  const template = Object.values(bench.state.vms).find((vm) => vm.config.template === "1");
  const volume = bench.state.volumes.find((one) => one.vmid === template?.vmid);
  if (!template || !volume) throw new Error("there is no template");
  // The state after a worker dies between its two steps (qemu-server, API2/Qemu.pm): `template` is set, and the disk unchanged.
  const half = volume.name.replace("base-", "vm-");
  template.config.scsi0 = template.config.scsi0?.replace(volume.name, half) ?? "";
  for (const clone of bench.state.volumes) if (clone.parent === volume.name) delete clone.parent;
  volume.name = half;
  const more = { ...wishes, nodes: [testNode({}), testNode({ name: "worker-2", ip: "10.10.0.22" })] };
  expect((await bench.changes(more)).filter((change) => change.includes("template"))).toEqual([
    expect.stringMatching(/^update template /),
  ]);
  await bench.up(more);
  expect(template.config.scsi0).toContain(":base-");
  expect(await bench.changes(more)).toEqual([]);
});
