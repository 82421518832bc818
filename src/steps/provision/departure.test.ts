import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { NodeConfig } from "../../config/config.ts";
import { writeContext } from "../../engine/context.ts";
import type { Node } from "../../kubernetes/objects.ts";
import { withoutCluster } from "../../maintenance/maintenance.ts";
import { noSnapshots } from "../../maintenance/testing/no-snapshots.ts";
import type { Owned } from "../../platforms/platform.ts";
import type { EtcdMember, TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { MemoryCluster } from "../addons/testing/memory-cluster.ts";
import { departure } from "./departure.ts";
import { leaveEtcd, mayLeaveEtcd } from "./etcd-departure.ts";
import type { Leavers } from "./leavers.ts";

/* cp-3 leaves a cluster of three control planes. */

const cp = (n: number) => ({ name: `cp-${n}`, ip: `10.0.0.${n}`, role: "controlplane" }) as NodeConfig;
const member = (n: number, isLearner = false): EtcdMember => ({
  ...{ id: BigInt(n), hostname: `cp-${n}`, peerUrls: [`https://10.0.0.${n}:2380`], isLearner },
});
const LEAVING = { name: "cp-3", address: "10.0.0.3", role: "controlplane", state: "running", bootstrapped: true } as Owned;

class Scene {
  readonly log: string[] = [];
  readonly kube = new MemoryCluster();
  readonly c = writeContext(testSession({ timeScale: 1000 }), "departure/cp-3", new Map());
  members = [1, 2, 3].map((n) => member(n));
  silent = new Set<string>();
  /** The response of cp-3 to the call to leave. */
  leave = async (): Promise<void> => {};

  constructor() {
    const status = { conditions: [{ type: "Ready", status: "True" }] };
    this.kube.put({ apiVersion: "v1", kind: "Node", metadata: { name: "cp-3" }, status } as Node);
    this.kube.onCall = (what, when) => {
      if (what === "delete Node" && when === "before") this.log.push("delete its Node object");
    };
  }

  get spec() {
    const node = (ip: string): Partial<TalosNode> => ({
      services: async () => {
        if (this.silent.has(ip)) throw remoteError("TALOS_UNAVAILABLE", { message: "no answer", transient: true });
        return [{ id: "etcd", state: "Running", healthy: true, message: "" }];
      },
      etcdMembers: async () => this.members,
      leaveEtcd: async () => {
        this.log.push(`${ip} leaves etcd`);
        await this.leave();
      },
      removeEtcdMember: async (id) => void this.log.push(`${ip} removes member ${id}`),
    });
    const talos = { node, probe: async () => ({ is: "ours" }) } as unknown as TalosNodes;
    const [staying, removed] = [[cp(1), cp(2)], [LEAVING]];
    const leavers: Leavers = {
      ...{ staying, removed, replaced: [], controlPlanes: staying },
      ...{ bootstrapped: true, noneStays: false, etcdIsLost: false },
    };
    const snapshots = { ...noSnapshots, take: async () => void this.log.push("snapshot") };
    const maintenance = { ...withoutCluster, takeOut: async () => void this.log.push("drain") };
    return { owned: LEAVING, leavers, talos, kube: this.kube, maintenance, snapshots };
  }
}

test("a control plane is drained before it leaves etcd, and leaves etcd before Kubernetes forgets it", async () => {
  const scene = new Scene();
  await departure(scene.spec).apply([], scene.c);
  expect(scene.log).toEqual(["snapshot", "drain", "10.0.0.3 leaves etcd", "delete its Node object"]);
});

test("a control plane stays in etcd when the others lost their quorum while it was drained", async () => {
  const scene = new Scene();
  const maintenance = { ...withoutCluster, takeOut: async () => void scene.silent.add("10.0.0.2") };
  await expect(departure({ ...scene.spec, maintenance }).apply([], scene.c)).rejects.toMatchObject({ code: "QUORUM" });
  expect(scene.log).toEqual(["snapshot"]);
});

test("a learner has no vote: it cannot make up for a voter that is silent", async () => {
  const scene = new Scene();
  const learner = { ...member(4, true), peerUrls: ["https://10.0.0.4:2380"] };
  const { leavers, ...spec } = scene.spec;
  const known = { ...leavers, controlPlanes: [...leavers.controlPlanes, cp(4)] };
  scene.members.push(learner);
  expect(await mayLeaveEtcd({ ...spec, leavers: known }, scene.c)).toEqual([]);
  scene.silent.add("10.0.0.2");
  expect(await mayLeaveEtcd({ ...spec, leavers: known }, scene.c)).toMatchObject([{ level: "fail", code: "QUORUM" }]);
});

test("a member without a node in the config counts as lost", async () => {
  const scene = new Scene();
  scene.members.push({ ...member(9), hostname: "elsewhere" });
  scene.silent.add("10.0.0.2");
  expect(await mayLeaveEtcd(scene.spec, scene.c)).toMatchObject([{ message: expect.stringContaining("elsewhere unknown") }]);
});

test("a member whose answer was lost is not removed by force: it may have left, or be leaving", async () => {
  const scene = new Scene();
  scene.leave = async () => {
    throw remoteError("TALOS_UNAVAILABLE", { message: "the answer was lost", transient: true });
  };
  await expect(leaveEtcd(scene.spec, 3n, scene.c)).rejects.toMatchObject({ code: "TALOS_UNAVAILABLE" });
  expect(scene.log).toEqual(["10.0.0.3 leaves etcd"]);
});

test("a member that refuses to leave is removed by one that stays", async () => {
  const scene = new Scene();
  scene.leave = async () => {
    throw remoteError("TALOS_REFUSED", { message: "etcd does not run" });
  };
  await leaveEtcd(scene.spec, 3n, scene.c);
  expect(scene.log).toEqual(["10.0.0.3 leaves etcd", "10.0.0.1 removes member 3"]);
});

test.each([
  ["running", []],
  ["stopped", ["out of service"]],
])("a silent node whose machine is %s: its pods are started elsewhere only when it is proven to be off", async (state, marks) => {
  const scene = new Scene();
  const status = { conditions: [{ type: "Ready", status: "Unknown" }] };
  scene.kube.put({ apiVersion: "v1", kind: "Node", metadata: { name: "cp-3" }, status } as Node);
  const marked: string[] = [];
  scene.kube.merge = async (_, change) => {
    if (JSON.stringify(change).includes("node.kubernetes.io/out-of-service")) marked.push("out of service");
    return true;
  };
  await departure({ ...scene.spec, owned: { ...LEAVING, state } }).apply([], scene.c);
  expect(marked).toEqual(marks);
});
