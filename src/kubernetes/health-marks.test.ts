import { expect, test } from "vitest";
import { gpuProblems, gpusOf, markProblems, nameProblems } from "./health-marks.ts";
import type { Node } from "./objects.ts";

const worker = { name: "worker-1", role: "worker", ip: "10.10.0.21", labels: {}, taints: {} } as const;

function node(rest: {
  name?: string;
  labels?: Record<string, string>;
  taints?: NonNullable<Node["spec"]>["taints"];
  gpus?: string;
}): Node {
  const { name = "worker-1", labels = {}, taints = [], gpus } = rest;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: { taints },
    status: {
      addresses: [{ type: "InternalIP", address: "10.10.0.21" }],
      ...(gpus !== undefined && { allocatable: { "nvidia.com/gpu": gpus } }),
    },
  };
}

test("a node is called as in the config, or so within a domain", () => {
  expect(nameProblems([node({})], [worker])).toEqual([]);
  expect(nameProblems([node({ name: "worker-1.lan" })], [worker])).toEqual([]);
  expect(nameProblems([node({ name: "worker-10" })], [worker])).toMatchObject([{ problem: "is called worker-10 in Kubernetes" }]);
});

test("a label that is missing or says something else is named; others do not matter", () => {
  const wanted = { ...worker, labels: { tier: "db", zone: "a" } };
  expect(markProblems([node({ labels: { tier: "db", zone: "a", more: "x" } })], [wanted])).toEqual([]);
  expect(markProblems([node({ labels: { tier: "web" } })], [wanted]).map(({ problem }) => problem)).toEqual([
    "has the label tier=web, not db",
    "has no label zone=a",
  ]);
});

// Talos' machine.nodeTaints: "value:Effect", or the effect alone.
test.each([
  ["db:NoSchedule", { key: "only", value: "db", effect: "NoSchedule" }],
  ["NoExecute", { key: "only", effect: "NoExecute" }],
  [":NoExecute", { key: "only", value: "", effect: "NoExecute" }],
])("the taint %s is found on its node", (text, taint) => {
  expect(markProblems([node({ taints: [taint] })], [{ ...worker, taints: { only: text } }])).toEqual([]);
});

test("a taint with another effect is not the one", () => {
  const seen = node({ taints: [{ key: "only", value: "db", effect: "PreferNoSchedule" }] });
  expect(markProblems([seen], [{ ...worker, taints: { only: "db:NoSchedule" } }])).toEqual([
    { subject: "worker-1", problem: "has no taint only=db:NoSchedule" },
  ]);
});

test("GPUs are what a node has to give away", () => {
  expect([gpusOf(node({})), gpusOf(node({ gpus: "0" })), gpusOf(node({ gpus: "2" }))]).toEqual([0, 0, 2]);
  expect(gpuProblems([node({ gpus: "1" })], [worker])).toEqual([]);
  expect(gpuProblems([node({ gpus: "0" })], [worker])).toHaveLength(1);
});

test("a node that has not joined is missed elsewhere", () => {
  expect([...nameProblems([], [worker]), ...markProblems([], [worker]), ...gpuProblems([], [worker])]).toEqual([]);
});
