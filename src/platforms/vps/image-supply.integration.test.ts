import { factoryService } from "@talosmith/lab/factory/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { writeContext } from "../../engine/context.ts";
import type { ConfigOnVps } from "./config/config-on-vps.ts";
import { plainVpsNode } from "./config/testing/plain-node.ts";
import { ImageSupply } from "./image-supply.ts";
import type { VpsEnvironment } from "./vps-environment.ts";

let lab: RunningLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const node = (name: string) => plainVpsNode({ name, role: "worker", ip: "203.0.113.11" });

async function supply(factory = "http://factory") {
  const config = { cluster: { talos: "v1.13.9" }, image: { factory, secureboot: false } } as unknown as ConfigOnVps;
  const env = { config, folder: "/env", where: () => undefined } as unknown as VpsEnvironment;
  const session = testSession();
  return { images: new ImageSupply(env, { calls: 0, bytes: 0 }), session, c: writeContext(session, "s", new Map()) };
}

test("a server finds its image where the factory has it, by schematic, release, architecture and packing", async () => {
  const { images, c } = await supply();
  const { url } = images.source(node("vps-1"), "arm64", c);
  expect(url("zst")).toMatch(/^http:\/\/factory\/image\/[0-9a-f]{64}\/v1\.13\.9\/metal-arm64\.raw\.zst$/);
});

test("an image sent from this computer is built first, downloaded once for all servers, and deleted afterwards", async () => {
  lab = await createLab(realWorld({ timeScale: 1 }), { seed: "s", timeScale: "instant", services: [factoryService()] });
  await lab.start();
  const { images, session, c } = await supply(lab.published().factory?.url ?? "");
  const read = async (name: string) => {
    const parts: Uint8Array[] = [];
    const stream = await images.source(node(name), "amd64", c).open("gz", session.signal);
    for await (const part of stream) parts.push(part);
    return Buffer.concat(parts);
  };
  const [one, other] = await Promise.all([read("vps-1"), read("vps-2")]);
  expect(one?.subarray(0, 2).toString("hex")).toBe("1f8b");
  expect(other?.equals(one as Buffer)).toBe(true);
  expect(session.world.files.list("/env/.talosmith")).toEqual([]);
});

test("different bytes under one name stop the second server before it starts", async () => {
  const { images } = await supply();
  images.compare(node("vps-1"), "amd64", "a");
  images.compare(node("vps-2"), "amd64", "a");
  images.compare(node("vps-3"), "arm64", "b");
  expect(() => images.compare(node("vps-4"), "amd64", "b")).toThrowError(
    expect.objectContaining({ code: "IMAGES_DIFFER", detail: expect.stringContaining("vps-4 was not restarted") }),
  );
});
