import { factoryService } from "@talosmith/lab/factory/service.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import type { NodeConfig, NodeImageConfig } from "../config/config.ts";
import { readContext } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { factoryHasImages } from "./factory-has-images.ts";

const world = realWorld({ timeScale: 1 });
const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
let lab: Awaited<ReturnType<typeof createLab>>;
let factory: string;
beforeAll(async () => {
  lab = await createLab(world, { seed: "s", timeScale: "instant", services: [factoryService()] });
  await lab.start();
  factory = lab.published().factory?.url ?? "";
});
afterAll(() => lab.close());

interface Scene {
  talos?: string;
  images?: Record<string, Partial<NodeImageConfig>>;
  address?: string;
  silence?: "fail" | "warn";
}

/** The findings, and the calls that they took. */
async function findings({ talos = "v1.13.9", images = { "cp-1": {} }, address = factory, silence = "fail" }: Scene) {
  const nodes = Object.entries(images).map(
    ([name, image]) => ({ name, image: { extensions: [], kernelArgs: [], ...image } }) as unknown as NodeConfig,
  );
  const where = (path: readonly (string | number)[]) => ({ file: path.join("."), line: 1, column: 1 });
  const env = { config: { cluster: { talos }, image: { factory: address } }, where } as unknown as Environment;
  const [check] = factoryHasImages(env, { calls: 0, bytes: 0 }, { nodes, before: () => true, silence });
  if (!check) return [];
  const before = lab.recorder.calls().length;
  const session = { ...testSession(), world };
  const found = await check.run(readContext(session, check.id, new Map(), new Map()));
  const calls = lab.recorder.calls().slice(before);
  return [
    ...found.map(({ level, code, message, hint, where: at }) => ({ level, code, message, hint, at: at?.file })),
    calls.length,
  ];
}

test("a release and extensions that exist take two calls for any number of nodes", async () => {
  const extensions = ["siderolabs/zfs", "siderolabs/nonfree-kmod-nvidia"];
  expect(await findings({ images: { "cp-1": { extensions }, "cp-2": { extensions } } })).toEqual([
    expect.objectContaining({ level: "ok", message: expect.stringContaining("has v1.13.9") }),
    2,
  ]);
  expect((await findings({})).at(-1)).toBe(1);
});

test("a release that does not exist is reported at its line, with the newest of its minor version", async () => {
  expect(await findings({ talos: "v1.13.99", images: { "cp-1": { extensions: ["siderolabs/zfs"] } } })).toEqual([
    {
      level: "fail",
      code: "NO_SUCH_RELEASE",
      message: "the image factory has no Talos v1.13.99",
      hint: "did you mean v1.13.9? It is the newest v1.13 there",
      at: "cluster.talos",
    },
    1,
  ]);
});

test("every extension that does not exist is reported at its line, with its nodes and the one that was meant", async () => {
  const images = {
    "cp-1": { extensions: ["siderolabs/iscsi-toolz", "siderolabs/zfs"] },
    "cp-2": { extensions: ["siderolabs/iscsi-toolz", "siderolabs/quite-another-name"] },
  };
  expect(await findings({ images })).toMatchObject([
    {
      code: "NO_SUCH_EXTENSION",
      message: "the image factory has no extension siderolabs/iscsi-toolz for Talos v1.13.9, which cp-1, cp-2 would get",
      hint: expect.stringContaining("did you mean siderolabs/iscsi-tools?"),
      at: "nodes.cp-1.image.extensions.siderolabs/iscsi-toolz",
    },
    { message: expect.stringContaining("siderolabs/quite-another-name"), hint: expect.not.stringContaining("did you mean") },
    2,
  ]);
});

test("a schematic that the factory does not know is reported, because its contents are unknown", async () => {
  const images = { "cp-1": { schematic: "a".repeat(64) }, "cp-2": { schematic: "a".repeat(64) } };
  expect(await findings({ images })).toMatchObject([{ code: "NO_SUCH_SCHEMATIC", at: "nodes.cp-1.image.schematic" }, 2]);
  expect(await findings({ images: { "cp-1": { schematic: PLAIN } } })).toMatchObject([{ level: "ok" }, 2]);
});

test("a factory that does not answer is an error, or a warning where only the machines need it", async () => {
  const address = "http://127.0.0.1:1";
  await expect(findings({ address })).rejects.toMatchObject({ code: "FACTORY_SILENT" });
  expect(await findings({ address, silence: "warn" })).toMatchObject([{ level: "warn", code: "FACTORY_SILENT" }, 0]);
});

test("without new nodes nothing is asked", async () => {
  expect(await findings({ images: {} })).toEqual([]);
});
