import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { factoryService } from "@talosmith/lab/factory/service.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import type { Write } from "../../engine/step.ts";
import { waitUntil } from "../../engine/until.ts";
import { factoryHasBuilt } from "./factory.ts";
import { fetchImage } from "./fetch-image.ts";
import { nocloudImage } from "./image.ts";

const closing: (() => unknown)[] = [];
afterEach(closeAll);

async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

const world = realWorld({ timeScale: 1 });
const meter = () => ({ calls: 0, bytes: 0 });

function write(mutations: string[] = []): Write {
  const c: Write = {
    world,
    signal: new AbortController().signal,
    get: () => ({ later: "nothing" }),
    shared: (_, load) => load(),
    until: (condition) => waitUntil(condition, c, () => {}),
    say: () => {},
    failed: () => undefined,
    mutate: (mutation, call) => {
      mutations.push(mutation.what);
      return call();
    },
  };
  return c;
}

async function lab() {
  const running = await createLab(world, { seed: "s", timeScale: "instant", services: [factoryService()] });
  await running.start();
  closing.push(() => running.close());
  return { address: running.published().factory?.url ?? "", calls: () => running.recorder.calls().map(({ site }) => site) };
}

/** A factory of our own making, for what the lab's does not do. */
async function odd(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  closing.push(() => new Promise((closed) => server.close(closed)));
  closing.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function image(extensions: string[], kernelArgs: string[] = [], talos = "v1.13.9") {
  return nocloudImage(talos, { arch: "amd64", secureboot: false, method: "import" }, { extensions, kernelArgs });
}

test("a custom schematic is registered, then built, and the factory returns the same id", async () => {
  const { address, calls } = await lab();
  const mutations: string[] = [];
  const wished = image(["siderolabs/zfs", "siderolabs/drbd"], ["console=ttyS0,115200", "-talos.platform", "a=b: c"]);
  await factoryHasBuilt(write(mutations), { address, meter: meter() }, wished);
  expect(mutations).toEqual(["register the schematic at the image factory"]);
  expect(calls().slice(0, 2)).toEqual(["POST /schematics", "HEAD /image/:schematic/:version/:path"]);
});

test("a schematic that the config gives by id is not registered", async () => {
  const { address, calls } = await lab();
  const given = nocloudImage(
    "v1.13.9",
    { arch: "amd64", secureboot: false, method: "import" },
    {
      extensions: [],
      kernelArgs: [],
      schematic: "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba",
    },
  );
  await factoryHasBuilt(write(), { address, meter: meter() }, given);
  expect(calls()[0]).toBe("HEAD /image/:schematic/:version/:path");
});

test("a release that the factory does not have is said to be that", async () => {
  const { address } = await lab();
  await expect(factoryHasBuilt(write(), { address, meter: meter() }, image([], [], "v1.13.99"))).rejects.toMatchObject({
    code: "FACTORY_REFUSED",
    detail: expect.stringContaining("answered 404"),
    hint: expect.stringContaining("cluster.talos"),
  });
});

test("a silent factory is a transient error that names its setting", async () => {
  const address = await odd(() => {});
  await closeAll();
  await expect(factoryHasBuilt(write(), { address, meter: meter() }, image(["siderolabs/zfs"]))).rejects.toMatchObject({
    code: "FACTORY_SILENT",
    hint: expect.stringContaining("image.factory"),
    transient: true,
  });
});

test("a factory that names the schematic differently is not used", async () => {
  const address = await odd((_, response) => response.writeHead(201).end(JSON.stringify({ id: "f".repeat(64) })));
  await expect(factoryHasBuilt(write(), { address, meter: meter() }, image(["siderolabs/zfs"]))).rejects.toMatchObject({
    code: "FACTORY_DISAGREES",
    detail: expect.stringContaining("f".repeat(64)),
  });
});

test("a factory below a path of its host is asked there", async () => {
  const asked: string[] = [];
  const wished = image(["siderolabs/zfs"]);
  const address = await odd((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(request.method === "POST" ? 201 : 302).end(JSON.stringify({ id: wished.schematic.id }));
  });
  await factoryHasBuilt(write(), { address: `${address}/talos/factory`, meter: meter() }, wished);
  expect(asked.slice(0, 2)).toEqual(["POST /talos/factory/schematics", `HEAD /talos/factory${wished.path}`]);
});

test("a build that fails for once is asked for again", async () => {
  let builds = 0;
  const address = await odd(({ method }, response) => response.writeHead(method === "HEAD" && ++builds < 3 ? 503 : 200).end());
  const given = nocloudImage(
    "v1.13.9",
    { arch: "amd64", secureboot: false, method: "import" },
    { extensions: [], kernelArgs: [], schematic: "a".repeat(64) },
  );
  await factoryHasBuilt(write(), { address, meter: meter() }, given);
  expect(builds).toBe(3);
});

// The public factory answers 402 (docs/facts/talos.md#images); a factory with checksums writes what sha256sum prints.
test.each([
  [402, "enterprise not enabled", undefined],
  [200, `${"A1".repeat(32)}  nocloud-amd64.qcow2\n`, "a1".repeat(32)],
  [200, "<html>", undefined],
])("a factory that answers %d %j has told the checksum %s", async (status, body, sha256) => {
  const address = await odd(({ method }, response) =>
    response.writeHead(method === "HEAD" ? 200 : status).end(method === "HEAD" ? undefined : body),
  );
  const given = nocloudImage(
    "v1.13.9",
    { arch: "amd64", secureboot: false, method: "import" },
    { extensions: [], kernelArgs: [], schematic: "a".repeat(64) },
  );
  expect(await factoryHasBuilt(write(), { address, meter: meter() }, given)).toBe(sha256);
});

test("an image is brought here with its size and digest", async () => {
  const { address } = await lab();
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "image");
  const fetched = await fetchImage(write(), { address, meter: meter() }, image([]), path);
  const bytes = readFileSync(path);
  expect(fetched).toEqual({ path, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
});

test("an image that is not what the factory says of it is not kept", async () => {
  const address = await odd((_, response) => response.end("other bytes"));
  const path = join(tmpdir(), `image-that-is-not-kept-${process.pid}`);
  await expect(fetchImage(write(), { address, meter: meter() }, image([]), path, "a".repeat(64))).rejects.toMatchObject({
    code: "IMAGE_DIGEST",
  });
  expect(existsSync(path)).toBe(false);
});
