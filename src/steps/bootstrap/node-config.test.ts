import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { plainNode } from "../../config/testing/plain-node.ts";
import { writeContext } from "../../engine/context.ts";
import { remoteError } from "../../lib/errors.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import type { Answering, TalosNodes } from "../../talos/api/talos-nodes.ts";
import { keepingEtcd } from "../../talos/health/etcd-quorum.ts";
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
    { is: "silent", why: "nobody there" },
    { is: "waiting", key: "with its name" },
    { is: "silent", why: "nobody there" },
    { is: "ours" },
  ];
  const given: string[] = [];
  const talos = {
    probe: async () => answers.shift(),
    waiting: (_: string, key: string) => ({
      hardware: async () => ({ macs: [], disks: [] }),
      apply: async (config: string) => {
        given.push(`${config} with key ${key}`);
        return { warnings: [] };
      },
    }),
  } as unknown as TalosNodes;
  const spec = { node, talos, machine, wanted: { of: () => "config" }, found: { there: new Set(["cp-1"]) }, after: [] };
  await nodeConfig(spec as unknown as NodeConfigSpec).apply([], context());
  expect([given, answers]).toEqual([["config with key before"], []]);
});

test("a control plane is left when its etcd reaches the others again, not before", async () => {
  const log: string[] = [];
  const lost = remoteError("TALOS_UNAVAILABLE", { message: "etcdserver: request timed out", transient: true });
  const failures = [lost, lost];
  const api = {
    services: async () => [{ id: "etcd", state: "Running", healthy: true }],
    etcdMembers: async () => {
      log.push("asked");
      const failure = failures.shift();
      if (failure) throw failure;
      return [];
    },
  } as unknown as TalosNode;
  const talos = { node: () => api } as unknown as TalosNodes;
  await keepingEtcd(talos, node, context(), async () => {
    log.push("changed");
  });
  expect(log).toEqual(["changed", "asked", "asked", "asked"]);
});

test("a control plane without a healthy etcd is not waited for", async () => {
  const api = { services: async () => [{ id: "etcd", state: "Preparing" }] } as unknown as TalosNode;
  const log: string[] = [];
  await keepingEtcd({ node: () => api } as unknown as TalosNodes, node, context(), async () => {
    log.push("changed");
  });
  expect(log).toEqual(["changed"]);
});
