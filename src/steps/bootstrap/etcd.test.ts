import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { plainNode } from "../../config/testing/plain-node.ts";
import { writeContext } from "../../engine/context.ts";
import type { Service, TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { type EtcdSpec, etcdCluster, mayBootstrap } from "./etcd.ts";
import { type EtcdOn, etcdOn, notJoined } from "./etcd-on.ts";

/* A cluster is bootstrapped once in its life: docs/adr/0017-the-mark-records-the-bootstrap.md. */

const empty = (node: string): EtcdOn => ({
  node,
  is: "empty",
  says: "etcd is Preparing since 02:13:05 UTC, Running pre state",
  words: `${node}: etcd is Preparing`,
});
const at = (node: string, is: "silent" | "starting" | "data"): EtcdOn => ({ node, is, says: is, words: `${node} is ${is}` });
const member = (node: string, voters: string[], learners: string[] = []): EtcdOn => ({
  ...{ node, is: "member", voters, learners },
  ...{ says: "etcd is Running", words: "" },
});
const codes = (seen: EtcdOn[], before = false) => mayBootstrap(seen, before).map((finding) => finding.level);

test("when every control plane has answered and none has data, it may be bootstrapped", () => {
  expect(mayBootstrap([empty("cp-1"), empty("cp-2"), empty("cp-3")], false)).toEqual([]);
});

test("not while a control plane is unreachable: it might hold the data", () => {
  const findings = mayBootstrap([empty("cp-1"), at("cp-2", "silent"), empty("cp-3")], false);
  expect(findings).toMatchObject([{ level: "fail", message: expect.stringContaining("cp-2 is silent") }]);
});

test("not while a control plane is not far enough to tell", () => {
  expect(codes([empty("cp-1"), at("cp-2", "starting")])).toEqual(["fail"]);
});

test("not when a control plane has data, served or not", () => {
  expect(codes([empty("cp-1"), at("cp-2", "data")])).toEqual(["fail"]);
  expect(codes([empty("cp-1"), member("cp-2", ["cp-2"])])).toEqual(["fail"]);
});

test("not when a mark says that it was done before", () => {
  expect(codes([empty("cp-1")], true)).toEqual(["fail"]);
});

test("the wait names who is missing, since when, and what its etcd says; those that have joined are left out", () => {
  expect(notJoined([member("cp-1", ["cp-1", "cp-2"]), member("cp-2", ["cp-1", "cp-2"]), empty("cp-3")])).toBe(
    "cp-3 has not joined etcd (etcd is Preparing since 02:13:05 UTC, Running pre state)",
  );
  expect(notJoined([member("cp-1", ["cp-1"], ["cp-2"]), at("cp-2", "data"), at("cp-3", "silent")])).toBe(
    "cp-2 is a learner and has no vote yet (data); cp-3 has not joined etcd (silent)",
  );
  // One etcd runs well and belongs to another cluster.
  expect(notJoined([member("cp-1", ["cp-1"]), member("cp-2", ["cp-4"])])).toBe("cp-2 has not joined etcd (etcd is Running)");
  expect(notJoined([member("cp-1", ["cp-1"])])).toBeUndefined();
});

/** The nodes by address, each with its current response. */
function talosWith(nodes: Record<string, () => Partial<TalosNode>>): TalosNodes {
  const node = (ip: string) => ({ hasEtcdData: async () => false, ...nodes[ip]?.() }) as TalosNode;
  const ask = async (ip: string, question: (node: TalosNode) => Promise<unknown>) => ({
    is: "ours",
    answer: await question(node(ip)),
  });
  return { node, ask } as Partial<TalosNodes> as TalosNodes;
}
const etcdIs =
  (state: string, more: Partial<Service> = {}) =>
  async () => [{ id: "etcd", state, healthy: undefined, message: "", ...more }];

test("the state of etcd contains its start time by the node's clock", async () => {
  const since = Date.UTC(2026, 10, 17, 2, 13, 5);
  const talos = talosWith({ "10.0.0.3": () => ({ services: etcdIs("Preparing", { message: "Running pre state", since }) }) });
  const seen = await etcdOn(talos, { name: "cp-3", ip: "10.0.0.3" }, new AbortController().signal);
  expect(seen).toMatchObject({ is: "empty", words: "cp-3: etcd is Preparing since 02:13:05 UTC, Running pre state" });
});

const lookAt = (node: Partial<TalosNode>) =>
  etcdOn(talosWith({ "10.0.0.1": () => node }), { name: "cp-1", ip: "10.0.0.1" }, new AbortController().signal);

test.each(["Preparing", "Waiting", "Failed"])(
  "a control plane whose etcd is %s and has data on its disk is not empty",
  async (state) => {
    const seen = await lookAt({ services: etcdIs(state), hasEtcdData: async () => true });
    expect([seen.is, codes([seen])]).toEqual(["data", ["fail"]]);
  },
);

test("a learner is no voter", async () => {
  const etcdMembers = async () =>
    ["cp-1", "cp-2"].map((hostname) => ({ id: 1n, hostname, peerUrls: [], isLearner: hostname === "cp-2" }));
  const seen = await lookAt({ services: etcdIs("Running", { healthy: true }), etcdMembers });
  expect(seen).toMatchObject({ is: "member", voters: ["cp-1"], learners: ["cp-2"] });
});

test("while control planes join, the run says which one it waits for", async () => {
  const nodes = [1, 2].map((n) => plainNode({ name: `cp-${n}`, role: "controlplane", ip: `10.0.0.${n}` }));
  const session = testSession({ timeScale: 1000 });
  const reasons = () => session.events.flatMap((event) => (event.type === "step.waiting" ? [event.reason] : []));
  const member = (...names: string[]) => ({
    services: etcdIs("Running", { healthy: true }),
    etcdMembers: async () => names.map((hostname) => ({ id: 1n, hostname, peerUrls: [], isLearner: false })),
  });
  const talos = talosWith({
    "10.0.0.1": () => (reasons().length > 0 ? member("cp-1", "cp-2") : member("cp-1")),
    "10.0.0.2": () => (reasons().length > 0 ? member("cp-1", "cp-2") : { services: etcdIs("Preparing") }),
  });
  const env = { config: { nodes, cluster: { name: "homelab" } } };
  const spec = { env, talos, found: { owned: [], there: new Set(["cp-1", "cp-2"]) } } as unknown as EtcdSpec;
  await etcdCluster(spec).apply([], writeContext(session, "bootstrap/etcd", new Map()));
  expect(reasons()).toEqual(["cp-2 has not joined etcd (etcd is Preparing)"]);
});
