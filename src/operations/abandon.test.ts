import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { changesOf, errorsOf, makePlan } from "../engine/plan.ts";
import type { Environment } from "../environment/environment.ts";
import type { Node } from "../kubernetes/objects.ts";
import type { Inventory, Owned } from "../platforms/platform.ts";
import { MemoryCluster } from "../steps/addons/testing/memory-cluster.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import type { Given } from "../workflows/workflow.ts";
import { givingUp } from "./abandon.ts";

const NODES = ["cp-1", "cp-2", "worker-1"].map((name) => ({ name, ip: name, role: roleOf(name) }));
const env = { shown: "env", config: { nodes: NODES } } as unknown as Environment;

function roleOf(name: string): string {
  return name.startsWith("cp") ? "controlplane" : "worker";
}

const machine = (name: string, instance?: string) =>
  ({ name, role: roleOf(name), where: `metal at ${name}`, ...(instance !== undefined && { instance }) }) as Owned;

interface Scene {
  found: Partial<Inventory>;
  /** All of them have a cordon of talosmith. */
  nodes?: readonly string[];
  /** The names in the control planes' list of etcd members; undefined: they do not answer. */
  members?: readonly string[];
  isApiSilent?: true;
}

/** Changes of abandoning the replacement of a node's machine "old", or why it is refused. */
async function abandoned(subject: string, { found, nodes = [subject], members, isApiSilent }: Scene) {
  const kubernetes = new MemoryCluster();
  const annotations = { "talosmith.dev/cordoned-for": "replacement" };
  for (const name of nodes)
    kubernetes.put({ apiVersion: "v1", kind: "Node", metadata: { name, annotations }, spec: { unschedulable: true } } as Node);
  if (isApiSilent) kubernetes.notReady = "connection refused";
  const etcdMembers = async () => {
    if (members) return members.map((hostname) => ({ hostname }));
    throw remoteError("TALOS_UNAVAILABLE", { message: "no answer", transient: true });
  };
  const talos = { node: () => ({ etcdMembers }) } as unknown as TalosNodes;
  const open = { kind: "node replace", subject, target: { instance: "old" }, at: "" };
  const inventory: Inventory = { environment: "e", owned: [], there: new Set(), foreign: [], ...found };
  const plan = await makePlan(
    givingUp(open)({ env, found: inventory, talos, kubernetes } as Partial<Given> as Given),
    testSession(),
  );
  return {
    refused: errorsOf(plan).map(({ code, message, detail, hint }) => [code, message, detail, hint].join("\n")),
    changes: changesOf(plan).map(({ subject: of }) => of),
  };
}

test("abandoning uncordons a node whose old machine is still in the cluster", async () => {
  const given = await abandoned("worker-1", { found: { owned: [machine("worker-1", "old")] } });
  expect(given).toEqual({ refused: [], changes: ["cordoned nodes"] });
});

test("a replacement cannot be abandoned when the node has left the cluster and its old machine exists", async () => {
  const { refused } = await abandoned("worker-1", { found: { owned: [machine("worker-1", "old")] }, nodes: [] });
  expect(refused).toEqual([expect.stringContaining("finish the operation:  talosmith node replace env worker-1")]);
});

test.each<[string, Partial<Inventory>]>([
  ["silent", { silent: ["worker-1"] }],
  ["unreadable", { owned: [machine("worker-1")] }],
])("while the machine is %s its replacement cannot be abandoned", async (_, found) => {
  const { refused } = await abandoned("worker-1", { found });
  expect(refused).toEqual([
    expect.stringContaining("it cannot be abandoned while it is unknown whether the old machine of worker-1 still exists"),
  ]);
  expect(refused[0]).toContain("talosmith down env");
});

test.each<[string, Partial<Inventory>]>([
  ["silent", { silent: ["cp-2"] }],
  ["unreadable", { owned: [machine("cp-2")] }],
])("another machine that is %s does not prevent abandoning a replacement", async (_, found) => {
  const owned = [machine("worker-1", "new"), ...(found.owned ?? [])];
  expect((await abandoned("worker-1", { found: { ...found, owned } })).refused).toEqual([]);
});

test("the replacement of a control plane cannot be abandoned until its etcd membership is known", async () => {
  const found = { owned: [machine("cp-1", "old")] };
  const [unknown] = (await abandoned("cp-1", { found })).refused;
  expect(unknown).toContain("it cannot be abandoned while it is unknown whether cp-1 is a member of etcd");
  const [left] = (await abandoned("cp-1", { found, members: ["cp-2"] })).refused;
  expect(left).toContain("cp-1 has left the cluster, and its old machine still exists");
  expect((await abandoned("cp-1", { found, members: ["cp-1", "cp-2"] })).refused).toEqual([]);
});

test("while Kubernetes does not answer, abandoning is refused with the commands that help", async () => {
  const { refused } = await abandoned("worker-1", { found: { owned: [machine("worker-1", "old")] }, isApiSilent: true });
  expect(refused).toEqual([expect.stringContaining("the API does not answer (connection refused)")]);
  for (const way of ["talosmith verify env", "talosmith abandon env", "talosmith down env"]) expect(refused[0]).toContain(way);
});

test("a replacement whose old machine is removed can be abandoned without Kubernetes", async () => {
  const given = await abandoned("worker-1", { found: { owned: [] }, nodes: [], isApiSilent: true });
  expect(given).toEqual({ refused: [], changes: [] });
});
