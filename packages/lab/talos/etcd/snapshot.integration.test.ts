import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { kubernetesService } from "../../kubernetes/service.ts";
import { refusalOf, TalosBench } from "../testing/bench.ts";
import type { TalosClient } from "../testing/client.ts";

let bench: TalosBench;
afterEach(() => bench?.close());

async function snapshotOf(client: TalosClient): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const { bytes } of client.machine.etcdSnapshot({})) parts.push(bytes);
  return Buffer.concat(parts);
}

test("a snapshot is a database with the cluster's objects, followed by its SHA-256", async () => {
  bench = await TalosBench.open({ more: [kubernetesService()] });
  const { client } = await bench.controlPlane(bench.cluster(), 101, 11);
  await bench.bootstrap(client);
  const file = await bench.eventually(async () => {
    const snapshot = await snapshotOf(client);
    expect(snapshot.includes("/registry/minions/cp-11")).toBe(true);
    return snapshot;
  });
  // etcdutl and talosctl check these.
  expect(file.length % 512).toBe(32);
  expect(createHash("sha256").update(file.subarray(0, -32)).digest()).toEqual(file.subarray(-32));
  expect(file.readUInt32LE(16)).toBe(0xed0cdaed);
  for (const part of ["consistent_index", "storageVersion3.6.0", "/registry/namespaces/kube-system", "/registry/services/specs/"])
    expect(file.includes(part), part).toBe(true);
});

// Talos asks its own etcd without a leader (EtcdSnapshot of v1.13.9); etcd refuses every other stream on a learner (v3rpc/interceptor.go).
test("a member without quorum and a learner serve snapshots", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const one = await bench.controlPlane(cluster, 101, 11);
  const two = await bench.controlPlane(cluster, 102, 12);
  await bench.bootstrap(one.client);
  const members = async () => (await one.client.machine.etcdMemberList({ queryLocal: true })).messages[0]?.members ?? [];
  await bench.eventually(async () => expect((await members()).filter(({ isLearner }) => !isLearner)).toHaveLength(2));
  bench.lab.turn(() => {
    const member = Object.values(bench.state.etcd)[0]?.members.find(({ name }) => name === "cp-12");
    if (member) Object.assign(member, { learner: true, promoting: true });
  });
  expect((await snapshotOf(two.client)).length % 512).toBe(32);
  bench.lab.turn(() => {
    const member = Object.values(bench.state.etcd)[0]?.members.find(({ name }) => name === "cp-12");
    if (member) Object.assign(member, { learner: false });
  });
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/102/status/stop");
  await bench.eventually(async () => expect((await refusalOf(members())).text).toBe("etcdserver: no leader"));
  expect((await snapshotOf(one.client)).length % 512).toBe(32);
});

test("a node without etcd, a worker and a reader get no snapshot", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const { client, address } = await bench.controlPlane(cluster, 101, 11);
  expect((await refusalOf(snapshotOf(client))).code).toBe("Unavailable");
  const worker = await bench.machine(201, 21);
  await bench.apply(worker, cluster.config("worker", "worker-1"));
  await bench.eventually(async () =>
    expect(await refusalOf(snapshotOf(bench.client(worker, cluster.client())))).toEqual({
      code: "Unimplemented",
      text: "etcd snapshot is only available on control plane nodes",
    }),
  );
  await bench.bootstrap(client);
  const as = (role: string) => snapshotOf(bench.client(address, cluster.client([role])));
  expect((await refusalOf(as("os:reader"))).code).toBe("PermissionDenied");
  expect((await as("os:etcd:backup")).length % 512).toBe(32);
});
