import { factoryService } from "@talosmith/lab/factory/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { NodeConfig, NodeImageConfig } from "../../config/config.ts";
import { changesOf, errorsOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import { step, type WorkItem } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Answering, TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { Inventory, Owned } from "../platform.ts";
import type { ConfigOnMetal } from "./config/config-on-metal.ts";
import { metalPlatform } from "./platform.ts";

let lab: RunningLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

async function labFactory(): Promise<string> {
  lab = await createLab(realWorld({ timeScale: 1 }), { seed: "s", timeScale: "instant", services: [factoryService()] });
  await lab.start();
  return lab.published().factory?.url ?? "";
}

const PLAIN: NodeImageConfig = { extensions: [], kernelArgs: [] };
const ZFS: NodeImageConfig = { extensions: ["siderolabs/zfs"], kernelArgs: [] };
const noMachines: Inventory = { environment: "e", owned: [], there: new Set(), foreign: [] };

interface Scene {
  images: Record<string, NodeImageConfig>;
  factory?: string;
  answering?: Answering;
  arch?: string;
}

function platform({ images, factory = "http://127.0.0.1:1", answering = { is: "waiting", key: "k" }, arch }: Scene) {
  const nodes = Object.entries(images).map(([name, image]) => ({ name, image, ip: "10.10.0.11", role: "worker" }) as NodeConfig);
  const image = { method: "import", factory, arch: "amd64", secureboot: false } as const;
  const config = { platform: "metal", nodes, image, cluster: { talos: "v1.13.9" } } as unknown as ConfigOnMetal;
  const env = { config, where: ([key]: readonly unknown[]) => ({ file: `${key}`, line: 1, column: 1 }) };
  const talos = { probe: async () => answering, waiting: () => ({ arch: async () => arch }) };
  return metalPlatform(env as unknown as Environment<ConfigOnMetal>, talos as unknown as TalosNodes);
}

const secrets = step<string, string>({
  id: "generate/secrets",
  stage: "generate",
  title: "secrets",
  observe: async () => ({ is: "present", actual: "e", owner: "us" }),
  plan: () => [],
  apply: async () => {},
  output: (actual) => actual,
});

const session = { ...testSession(), world: realWorld() };
const plan = (items: readonly WorkItem[]) => makePlan([secrets, ...items], session);
const ids = (items: readonly WorkItem[]) => items.map(({ id }) => id);

test("for Talos with nothing built in, the factory is not asked", () => {
  const items = platform({ images: { "cp-1": PLAIN, "cp-2": PLAIN } });
  expect(items.steps("image", noMachines)).toEqual([]);
  expect(items.steps("provision", noMachines).flatMap(({ needs }) => needs)).toEqual([]);
});

test("nodes with equal images share a schematic, and each machine waits for its own", () => {
  const { steps } = platform({ images: { "cp-1": PLAIN, "disk-1": ZFS, "disk-2": ZFS } });
  const [schematic] = ids(steps("image", noMachines));
  expect(steps("image", noMachines)).toHaveLength(1);
  expect(steps("provision", noMachines).map(({ needs }) => needs)).toEqual([[], [{ step: schematic }], [{ step: schematic }]]);
});

test("a node that has its config needs no installer any more", () => {
  const owned = [{ name: "disk-1" } as Owned];
  expect(platform({ images: { "disk-1": ZFS } }).steps("image", { ...noMachines, owned })).toEqual([]);
});

test("a schematic that the factory does not know is created once", async () => {
  const items = platform({ images: { "disk-1": ZFS }, factory: await labFactory() }).steps("image", noMachines);
  const first = await plan(items);
  expect(changesOf(first).map(({ verb, subject }) => [verb, subject])).toEqual([
    ["create", expect.stringMatching(/^schematic [0-9a-f]{8} at 127\./)],
  ]);
  await runPlan(first, session);
  expect(changesOf(await plan(items))).toEqual([]);
});

test("the factory is looked at before a new node's image or config, and not for nodes that have their config", () => {
  const scene = { images: { "cp-1": PLAIN } };
  const [factory, ...others] = platform(scene).checks(noMachines);
  const before = (step: string) => factory?.before?.({ id: step, step, verb: "create", subject: step, fields: [] });
  expect(others).toEqual([]);
  expect(["image/schematic/1", "bootstrap/config/cp-1", "generate/secrets", "addons/x"].map(before)).toEqual([
    ...[true, true],
    ...[false, false],
  ]);
  expect(platform(scene).checks({ ...noMachines, owned: [{ name: "cp-1" } as Owned] })).toEqual([]);
});

test("a machine of another architecture is not taken for the node", async () => {
  const { steps } = platform({ images: { "cp-1": PLAIN }, arch: "arm64" });
  expect(errorsOf(await plan(steps("provision", noMachines)))).toMatchObject([
    { code: "WRONG_ARCHITECTURE", hint: expect.stringContaining("image.arch: arm64") },
  ]);
});

test("a machine that does not report its architecture, as with Talos 1.12, is accepted", async () => {
  const { steps } = platform({ images: { "cp-1": PLAIN } });
  expect(errorsOf(await plan(steps("provision", noMachines)))).toEqual([]);
});

test("a silent machine's error names the ISO to boot", async () => {
  const { steps } = platform({ images: { "cp-1": ZFS }, answering: { is: "silent", why: "nobody answers" } });
  const [machine] = steps("provision", noMachines);
  expect(errorsOf(await plan([{ ...machine, needs: [] } as WorkItem]))).toMatchObject([
    {
      code: "MACHINE_SILENT",
      // Nothing built in (docs/facts/talos.md#schematics): the factory need not have been sent it.
      hint: expect.stringContaining(
        "/image/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba/v1.13.9/metal-amd64.iso",
      ),
    },
  ]);
});
