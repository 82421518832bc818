import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import type { LabOptions, RunningLab } from "../kernel/kernel.ts";
import { createLab } from "../kernel/lab.ts";
import { meetsFaults } from "../kernel/testing/fault-contract.ts";
import { heardFrom } from "../kernel/testing/stranger.ts";
import { readImage } from "./image.ts";
import { refusals } from "./refusals.ts";
import { type FactoryOptions, factoryService } from "./service.ts";
import type { FactoryState } from "./state.ts";

const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

let lab: RunningLab;
afterEach(() => lab.close());

async function factory(options: FactoryOptions = {}, timeScale: LabOptions["timeScale"] = "instant"): Promise<void> {
  lab = await createLab(realWorld({ timeScale: 1 }), { seed: "s", timeScale, services: [factoryService(options)] });
  await lab.start();
}

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${lab.published().factory?.url}${path}`, { ...init, headers: { connection: "close" } });
const create = async (body: string) =>
  (await (await ask("/schematics", { method: "POST", body })).json()) as { id: string; schematic: string };

test("the factory listens on host 2 of the block, port 8080", async () => {
  await factory();
  expect(lab.published().factory?.url).toBe(`http://${lab.address.prefix}.2:8080`);
});

test("a schematic is answered with 201, its id and its canonical form", async () => {
  await factory();
  const answer = await ask("/schematics", { method: "POST", body: '{"customization":{"extraKernelArgs":["noapic","nolapic"]}}' });
  expect([answer.status, answer.headers.get("content-type"), await answer.json()]).toEqual([
    201,
    "application/json",
    {
      id: "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c",
      schematic: "customization:\n    extraKernelArgs:\n        - noapic\n        - nolapic\n",
    },
  ]);
});

test("an uploaded schematic can be read again", async () => {
  await factory();
  const { id, schematic } = await create("customization: {extraKernelArgs: [vga=791]}");
  const answer = await ask(`/schematics/${id}`);
  expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([200, "application/yaml", schematic]);
});

test("a schematic that was never uploaded is unknown, even if its id can be computed", async () => {
  await factory();
  const id = "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c";
  expect((await ask(`/schematics/${id}`)).status).toBe(404);
  expect((await ask(`/image/${id}/v1.13.9/nocloud-amd64.qcow2`)).status).toBe(404);
});

test("an unknown field is answered with 400 and its name", async () => {
  await factory();
  const answer = await ask("/schematics", { method: "POST", body: "customization: {extensions: [a]}" });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('"extensions"')]);
});

test("the first request of an image waits for the build", async () => {
  await factory({ buildMs: 90_000 }, 1000);
  const before = lab.now();
  const answer = await ask(`/image/${PLAIN}/v1.13.9/nocloud-amd64.qcow2`);
  expect(answer.status).toBe(200);
  expect(lab.now() - before).toBeGreaterThanOrEqual(90_000);
});

test("the second request of an image is answered at once", async () => {
  await factory({ buildMs: 3_600_000 }, 100_000);
  await ask(`/image/${PLAIN}/v1.13.9/nocloud-amd64.qcow2`, { method: "HEAD" });
  const built = lab.snapshot();
  await lab.close();
  await factory({ buildMs: 3_600_000 }, 1);
  lab.restore(built);
  expect((await ask(`/image/${PLAIN}/v1.13.9/nocloud-amd64.qcow2`)).status).toBe(200);
});

test("a build continues when its client disconnects", async () => {
  await factory({ buildMs: 3_600_000 }, 1);
  const stop = new AbortController();
  const gone = ask(`/image/${PLAIN}/v1.13.9/metal-amd64.iso`, { signal: stop.signal });
  await expect.poll(() => lab.recorder.calls().length, { interval: 5 }).toBe(1);
  stop.abort();
  await expect(gone).rejects.toThrow();
  expect(JSON.parse(lab.snapshot()).services.factory.builds).toHaveProperty([`${PLAIN}/v1.13.9/metal-amd64.iso`]);
});

test("HEAD returns the size that GET then sends", async () => {
  await factory();
  const path = `/image/${PLAIN}/v1.13.9/nocloud-amd64.qcow2`;
  const head = await ask(path, { method: "HEAD" });
  const body = new Uint8Array(await (await ask(path)).arrayBuffer());
  expect(head.headers.get("content-length")).toBe(String(body.length));
  expect(head.headers.get("content-type")).toBe("application/x-qemu-disk");
  expect(head.headers.get("content-disposition")).toBe('attachment; filename="nocloud-amd64.qcow2"');
});

test("an image contains its version, platform, architecture and schematic", async () => {
  await factory();
  const { id } = await create("customization: {systemExtensions: {officialExtensions: [siderolabs/iscsi-tools]}}");
  const answer = await ask(`/image/${id}/v1.12.11/metal-arm64-secureboot.raw`);
  expect(readImage(new Uint8Array(await answer.arrayBuffer())).talos).toEqual({
    version: "v1.12.11",
    platform: "metal",
    arch: "arm64",
    schematic: id,
    secureBoot: true,
  });
});

test("an unknown extension fails only when an image is requested", async () => {
  await factory();
  const { id } = await create("customization: {systemExtensions: {officialExtensions: [siderolabs/iscsi-tool]}}");
  const answer = await ask(`/image/${id}/v1.13.9/nocloud-amd64.qcow2`);
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('official extension "siderolabs/iscsi-tool" is not available for Talos version v1.13.9'),
  ]);
});

test("the nvidia names without suffix are accepted", async () => {
  await factory();
  const { id } = await create("customization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-container-toolkit]}}");
  expect((await ask(`/image/${id}/v1.13.9/nocloud-amd64.qcow2`)).status).toBe(200);
});

test.each([
  [`/image/${PLAIN}/v1.13.9/nocloud-amd64.img`, 400],
  [`/image/${PLAIN}/v1.13.9/nocloud-amd64.qcow2.sha256`, 402],
  [`/image/${PLAIN}/v9.9.9/nocloud-amd64.qcow2`, 404],
  [`/image/${PLAIN}/latest/nocloud-amd64.qcow2`, 500],
  ["/image/constructor/v1.13.9/nocloud-amd64.qcow2", 404],
  ["/nothing", 404],
])("%s is answered with %i, without building anything", async (path, status) => {
  await factory({ buildMs: 1e12 });
  expect((await ask(path)).status).toBe(status);
});

test("a build that fails by a fault is answered with 500, and the next request builds again", async () => {
  await factory();
  lab.setFaults([{ site: "GET /image/*", occurrence: 1, fault: { kind: "task-error", message: "out of disk" } }]);
  const path = `/image/${PLAIN}/v1.13.9/nocloud-amd64.qcow2`;
  expect([(await ask(path)).status, (await ask(path)).status]).toEqual([500, 200]);
});

test("versions are listed ascending, with the newest stable release of each minor", async () => {
  await factory();
  const versions = (await (await ask("/versions")).json()) as string[];
  expect(versions).toEqual(expect.arrayContaining(["v1.12.11", "v1.13.9", "v1.14.0-rc.1"]));
  expect(versions.indexOf("v1.12.11")).toBeLessThan(versions.indexOf("v1.13.0"));
});

test("official extensions are listed with name, ref, digest, author and description", async () => {
  await factory();
  const list = (await (await ask("/version/v1.13.9/extensions/official")).json()) as Record<string, string>[];
  expect(list.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["siderolabs/iscsi-tools", "siderolabs/qemu-guest-agent", "siderolabs/zfs"]),
  );
  expect(Object.keys(list[0] ?? {})).toEqual(["name", "ref", "digest", "author", "description"]);
  expect(list.find(({ name }) => name === "siderolabs/drbd")?.ref).toMatch(/-v1\.13\.9$/);
});

test("calls are recorded by site and resource", async () => {
  await factory();
  await ask(`/image/${PLAIN}/v1.13.9/nocloud-amd64.qcow2`, { method: "HEAD" });
  expect(lab.recorder.calls()).toMatchObject([
    {
      service: "factory",
      site: "HEAD /image/:schematic/:version/:path",
      resource: "image nocloud-amd64.qcow2 v1.13.9 37656798",
      mutating: false,
      status: 200,
    },
  ]);
});

test("every kind of fault has its effect on a call", async () => {
  await factory({ buildMs: 0 });
  const url = lab.published().factory?.url ?? "";
  const service = "factory";
  await meetsFaults(lab, { service, site: "GET /versions", make: () => heardFrom(`${url}/versions`) }, refusals["not-ready"]);
  const image = `${url}/image/${PLAIN}/v1.13.9/nocloud-amd64.qcow2`;
  const site = "GET /image/:schematic/:version/:path";
  await meetsFaults(lab, { service, site, make: () => heardFrom(image) }, refusals["gateway-timeout"]);
  await meetsFaults(
    lab,
    {
      service,
      site: "POST /schematics",
      make: (n) => heardFrom(`${url}/schematics`, { method: "POST", body: `customization: {extraKernelArgs: [n=${n}]}` }),
      effect: () => Object.keys(lab.state<FactoryState>("factory").schematics),
    },
    refusals["too-many-requests"],
  );
});
