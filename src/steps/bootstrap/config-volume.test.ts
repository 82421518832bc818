import type { Json } from "@talosmith/lib/json.ts";
import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { Config, NodeConfig } from "../../config/config.ts";
import { plainNode } from "../../config/testing/plain-node.ts";
import { changesOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import { step, type WorkItem } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Inventory } from "../../platforms/platform.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { configVolumesGone } from "./config-volume.ts";

const image = { extensions: [], kernelArgs: ["console=ttyS0", "talos.config=metal-iso"] };
const SEEDED = plainNode({ name: "cp-1", role: "controlplane", ip: "203.0.113.11", image });
const OTHER = plainNode({ name: "cp-2", role: "controlplane", ip: "203.0.113.12" });

/** A disk in Talos's resources with talosmith's partition at its end, and a USB stick with a similar one. */
function scene({ stages = ["running"], there = true }: { stages?: string[]; there?: boolean } = {}) {
  const session = testSession();
  const calls: string[] = [];
  const volumes = new Map<string, Json>([
    ["sda", { type: "disk", name: "gpt" }],
    ["sda4", { type: "partition", name: "xfs", label: "EPHEMERAL", partition_label: "EPHEMERAL" }],
    ["sda5", { type: "partition", name: "iso9660", label: "metal-iso", partition_label: "metal-iso" }],
    ["sr0", { type: "cd", name: "iso9660", label: "metal-iso" }],
  ]);
  const resource = (id: string, spec: Json) => ({ id, version: "1", phase: "running", spec });
  const api = {
    resources: async ({ type }) => {
      calls.push(`list ${type}`);
      return [...volumes].map(([id, spec]) => resource(id, spec));
    },
    resource: async () => resource("machine", { stage: stages.length > 1 ? (stages.shift() ?? "") : (stages[0] ?? "") }),
    wipePartition: async (device) => {
      calls.push(`wipe ${device}`);
      volumes.delete(device);
    },
  } as Partial<TalosNode> as TalosNode;
  const talos = {
    ask: async (_, question) => ({ is: "ours", answer: await question(api) }),
    node: () => api,
  } as Partial<TalosNodes> as TalosNodes;
  const found: Inventory = { environment: "e", owned: [], there: new Set(there ? ["cp-1", "cp-2"] : []), foreign: [] };
  let configured = there;
  const config = step<true, void>({
    id: "bootstrap/config/cp-1",
    stage: "bootstrap",
    title: "node cp-1",
    observe: async () => (configured ? { is: "present", actual: true, owner: "us" } : { is: "absent" }),
    plan: () =>
      configured ? [] : [{ id: "c", step: "bootstrap/config/cp-1", verb: "create", subject: "node cp-1", fields: [] }],
    apply: async () => {
      configured = true;
    },
    output: () => undefined,
  });
  const items = (nodes: NodeConfig[]): WorkItem[] => {
    const env = { config: { nodes } as unknown as Config } as Environment;
    return [config, ...configVolumesGone(env, talos, found, [])];
  };
  const changes = async () =>
    changesOf(await makePlan(items([SEEDED]), session)).map(({ verb, subject }) => `${verb} ${subject}`);
  const run = async () => runPlan(await makePlan(items([SEEDED]), session), session);
  return { calls, volumes, items, changes, run };
}

test("the partition with the first config is wiped once, and only that one", async () => {
  const { calls, volumes, changes, run } = scene();
  expect(await changes()).toEqual(["run wipe the config volume of cp-1"]);
  await run();
  expect(calls.filter((call) => call.startsWith("wipe"))).toEqual(["wipe sda5"]);
  expect([...volumes.keys()]).toEqual(["sda", "sda4", "sr0"]);
  expect(await changes()).toEqual([]);
});

test("a partition that is overwritten but not yet dropped is still found by its name in the table", async () => {
  const { volumes, changes } = scene();
  volumes.set("sda5", { type: "partition", name: "", partition_label: "metal-iso" });
  expect(await changes()).toEqual(["run wipe the config volume of cp-1"]);
});

test("a node that is still to come is not asked, and loses the partition after it has come", async () => {
  const { calls, changes, run } = scene({ there: false });
  expect(await changes()).toEqual(["create node cp-1", "run wipe the config volume of cp-1"]);
  expect(calls).toEqual([]);
  await run();
  expect(calls).toContain("wipe sda5");
});

test("a node that still boots keeps it until it has kept the config for itself", async () => {
  const stages = ["booting", "booting", "running"];
  const { calls, run } = scene({ stages });
  await run();
  expect(stages).toEqual(["running"]);
  expect(calls).toContain("wipe sda5");
});

test("an image that does not read its config from a volume costs no call", async () => {
  const { items, calls } = scene();
  expect(items([OTHER])).toHaveLength(1);
  expect(calls).toEqual([]);
});
