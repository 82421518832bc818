import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { plainNode } from "../../config/testing/plain-node.ts";
import { writeContext } from "../../engine/context.ts";
import { withoutCluster } from "../../maintenance/maintenance.ts";
import type { Answering, TalosNodes } from "../../talos/api/talos-nodes.ts";
import { MachineConfig } from "../../talos/config/machine-config.ts";
import { type NodeConfigSpec, nodeConfig } from "./node-config.ts";

const node = plainNode({ name: "cp-1", role: "controlplane", ip: "10.0.0.1" });
const machine = { step: "provision/cp-1" };

function context() {
  return writeContext(testSession({ timeScale: 1000 }), "bootstrap/config/cp-1", new Map([[machine.step, { address: node.ip }]]));
}

test("a node that answers with another key while it takes its first config is still waited for", async () => {
  const answers: Answering[] = [
    { is: "waiting", key: "before" },
    { is: "waiting", key: "before" },
    { is: "silent", why: "no answer" },
    { is: "waiting", key: "with its name" },
    { is: "silent", why: "no answer" },
    { is: "ours" },
  ];
  const given: string[] = [];
  const talos = {
    probe: async () => answers.shift(),
    waiting: (_: string, key: string) => ({
      hardware: async () => ({ macs: [], disks: [] }),
      apply: async ({ text }: MachineConfig) => {
        given.push(`${text} with key ${key}`);
        return { warnings: [] };
      },
    }),
  } as unknown as TalosNodes;
  const spec = {
    node,
    talos,
    machine,
    wanted: { of: () => MachineConfig.read("config") },
    found: { there: new Set(["cp-1"]) },
    after: [],
    maintenance: withoutCluster,
  };
  await nodeConfig(spec as unknown as NodeConfigSpec).apply([], context());
  expect([given, answers]).toEqual([["config with key before"], []]);
});
