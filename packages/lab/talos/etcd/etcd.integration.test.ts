import { afterEach, expect, test } from "vitest";
import { refusalOf, TalosBench } from "../testing/bench.ts";
import type { TalosClient } from "../testing/client.ts";
import type { TestCluster } from "../testing/configs.ts";
import { newMember } from "./cluster.ts";

let bench: TalosBench;
afterEach(() => bench?.close());

function vip(address: string, last: number): object[] {
  const mac = `bc:24:11:00:00:${last.toString(16).padStart(2, "0")}`;
  return [
    {
      apiVersion: "v1alpha1",
      kind: "LinkAliasConfig",
      name: "net0",
      selector: { match: `mac(link.permanent_addr) == "${mac}"` },
    },
    {
      apiVersion: "v1alpha1",
      kind: "LinkConfig",
      name: "net0",
      up: true,
      addresses: [{ address: `${bench.lab.address.host(last)}/24` }],
    },
    { apiVersion: "v1alpha1", kind: "Layer2VIPConfig", name: address, link: "net0" },
  ];
}

async function members(client: TalosClient, queryLocal = false): Promise<string[]> {
  const { messages } = await client.machine.etcdMemberList({ queryLocal });
  return (messages[0]?.members ?? []).map(({ hostname, isLearner }) => `${hostname}${isLearner ? " (learner)" : ""}`).sort();
}

async function three(cluster: TestCluster, more: (last: number) => object[] = () => []) {
  const [one, two, three] = [
    await bench.controlPlane(cluster, 101, 11, more(11)),
    await bench.controlPlane(cluster, 102, 12, more(12)),
    await bench.controlPlane(cluster, 103, 13, more(13)),
  ];
  await bench.bootstrap(one.client);
  await bench.eventually(async () => expect(await members(one.client)).toEqual(["cp-11", "cp-12", "cp-13"]));
  return [one, two, three] as const;
}

test("the other control planes join the bootstrapped one, and become voting members", async () => {
  bench = await TalosBench.open();
  const [, , last] = await three(bench.cluster());
  expect(await members(last.client)).toEqual(["cp-11", "cp-12", "cp-13"]);
  const { messages } = await last.client.machine.etcdStatus({});
  expect(messages[0]?.memberStatus?.leader).not.toBe(0n);
  expect(bench.nodes().map((node) => node.controlPlane?.etcd)).toEqual([true, true, true]);
  expect(new Set(bench.nodes().map((node) => node.controlPlane?.etcdCluster)).size).toBe(1);
});

test("with one of three members left there is no quorum, with two there is", async () => {
  bench = await TalosBench.open();
  const [one] = await three(bench.cluster());
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/102/status/stop");
  expect(await bench.eventually(() => members(one.client))).toHaveLength(3);
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/103/status/stop");
  await bench.eventually(async () =>
    expect(await refusalOf(members(one.client))).toEqual({ code: "Unknown", text: "etcdserver: no leader" }),
  );
  expect(bench.nodes().map((node) => node.controlPlane?.etcd)).toEqual([false]);
  const { messages } = await one.client.machine.serviceList({});
  expect(messages[0]?.services.find(({ id }) => id === "etcd")).toMatchObject({ state: "Running", health: { healthy: false } });
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/103/status/start");
  await bench.eventually(() => members(one.client));
});

test("a second bootstrap is refused on the same node, and creates a second cluster on another", async () => {
  bench = await TalosBench.open({ timeScale: 100 });
  const cluster = bench.cluster();
  const one = await bench.controlPlane(cluster, 101, 11);
  const two = await bench.controlPlane(cluster, 102, 12);
  await Promise.all([one.client.machine.bootstrap({}), two.client.machine.bootstrap({})]);
  // Text from docs/facts/talos.md#error-codes.
  expect(await refusalOf(one.client.machine.bootstrap({}))).toEqual({
    code: "AlreadyExists",
    text: "etcd data directory is not empty",
  });
  expect(bench.state.bootstraps.map(({ machine }) => machine).sort()).toEqual(["vm 101", "vm 102"]);
  expect(new Set(bench.state.bootstraps.map(({ cluster: of }) => of)).size).toBe(1);
});

// etcd.NewClientFromControlPlaneIPs and etcd.NewLocalClient of v1.13.9
test("a control plane answers with its endpoints' members, and with query_local with those of its own etcd", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const one = await bench.controlPlane(cluster, 101, 11);
  const two = await bench.controlPlane(cluster, 102, 12);
  await bench.bootstrap(one.client);
  await bench.eventually(async () => expect(await members(one.client)).toEqual(["cp-11", "cp-12"]));
  const apart = structuredClone(Object.values(bench.state.etcd)[0]);
  const disk = bench.state.disks[bench.state.machines["vm 102"]?.boot?.disk ?? ""];
  if (!apart || !disk?.etcd) throw new Error("there is no etcd");
  // As after a second bootstrap: the second control plane has an etcd cluster of its own.
  const members2 = apart.members.filter(({ name }) => name === "cp-12");
  bench.lab.turn(() => {
    bench.state.etcd.apart = { ...apart, id: "apart", members: members2 };
    if (disk.etcd) disk.etcd.cluster = "apart";
    const first = Object.values(bench.state.etcd)[0];
    if (first) first.members = first.members.filter(({ name }) => name === "cp-11");
  });
  expect(await members(two.client, true)).toEqual(["cp-12"]);
  expect(await members(two.client, false)).toEqual(["cp-11"]);
  expect(await members(one.client, true)).toEqual(["cp-11"]);
});

test("a member has no name before its etcd has started and no vote before its promotion, and members join one by one", async () => {
  bench = await TalosBench.open();
  const [one, two] = await three(bench.cluster());
  /** When its etcd became a member, and when it became healthy, which a learner never is. */
  const times = (vmid: number) => {
    const events = bench.state.machines[`vm ${vmid}`]?.boot?.services.etcd?.events ?? [];
    expect(events.map(({ message }) => message.replace(/PID \d+/, "PID"))).toEqual([
      "Running pre state",
      "Creating service runner",
      "Started task etcd (PID) for container etcd",
      "Health check failed: etcdserver: rpc not supported for learner",
      "Health check successful",
    ]);
    return { letIn: events[1]?.at ?? 0, votes: events[4]?.at ?? 0 };
  };
  const [first, second] = [times(102), times(103)].sort((a, b) => a.letIn - b.letIn);
  expect(second?.letIn).toBeGreaterThan(first?.votes ?? 0);
  expect((first?.votes ?? 0) - (first?.letIn ?? 0)).toBeGreaterThanOrEqual(15_000);
  bench.lab.turn(() => {
    const machine = bench.state.machines["vm 102"];
    const member = Object.values(bench.state.etcd)[0]?.members.find(({ name }) => name === "cp-12");
    if (!machine || !member) throw new Error("there is no member");
    expect(newMember(bench.lab, machine, true).name).toBe("");
    // And it stays a learner.
    Object.assign(member, { learner: true, promoting: true });
  });
  // A learner answers little more than its status.
  expect(await refusalOf(members(two.client, true))).toEqual({
    code: "Unknown",
    text: "etcdserver: rpc not supported for learner",
  });
  expect((await two.client.machine.etcdStatus({})).messages[0]?.memberStatus?.isLearner).toBe(true);
  expect(await members(one.client, true)).toContain("cp-12 (learner)");
});

// Talos splits a name into host name and domain (resources/network/hostname_spec.go of v1.13.9), and passes the first as --name to etcd.
test("a member has the name of its node, without the domain", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const address = await bench.machine(101, 11);
  await bench.apply(address, cluster.config("controlplane", "cp-11.example.org"));
  const client = bench.client(address, cluster.client());
  await bench.bootstrap(client);
  expect(await members(client)).toEqual(["cp-11"]);
});

test("bootstrap is refused until the container runtime is up", async () => {
  bench = await TalosBench.open({ timeScale: 100 });
  const cluster = bench.cluster();
  const { client } = await bench.controlPlane(cluster, 101, 11);
  delete bench.state.machines["vm 101"]?.boot?.services.cri;
  expect(await refusalOf(client.machine.bootstrap({}))).toEqual({
    code: "FailedPrecondition",
    text: "bootstrap is not available yet",
  });
});

test("one control plane holds the virtual address, which moves when that one dies", async () => {
  bench = await TalosBench.open();
  const address = bench.lab.address.host(5);
  await three(bench.cluster(), (last) => vip(address, last));
  const holders = () => bench.nodes().filter((node) => node.controlPlane?.vip === address);
  await bench.eventually(() => expect(holders()).toHaveLength(1));
  const [holder] = holders();
  const vmid = Number(holder?.name.slice(-2)) + 90;
  await bench.proxmox.task("POST", `/nodes/pve1/qemu/${vmid}/status/stop`);
  await bench.eventually(() => {
    expect(holders()).toHaveLength(1);
    expect(holders()[0]?.name).not.toBe(holder?.name);
  });
});

test("a member that leaves is removed; a dead one stays until it is removed, or its name joins again", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const [one, two] = await three(cluster);
  await two.client.machine.etcdLeaveCluster({});
  expect(await members(one.client)).toEqual(["cp-11", "cp-13"]);
  const systemPartitionsToWipe = [{ label: "EPHEMERAL", wipe: true }];
  await two.client.machine.reset({ graceful: false, reboot: true, systemPartitionsToWipe });
  await bench.eventually(async () => expect(await members(one.client)).toEqual(["cp-11", "cp-12", "cp-13"]));
  await bench.proxmox.task("POST", "/nodes/pve1/qemu/103/status/stop");
  const { messages } = await bench.eventually(() => one.client.machine.etcdMemberList({}));
  const dead = messages[0]?.members.find(({ hostname }) => hostname === "cp-13");
  await one.client.machine.etcdRemoveMemberByID({ memberId: dead?.id ?? 0n });
  expect(await members(one.client)).toEqual(["cp-11", "cp-12"]);
  expect((await refusalOf(one.client.machine.etcdRemoveMemberByID({ memberId: 1n }))).code).toBe("NotFound");
});

test("a worker's API waits until a control plane has signed its certificate", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const address = await bench.machine(201, 21);
  await bench.apply(address, cluster.config("worker", "worker-1"));
  await bench.eventually(() => expect(bench.state.machines["vm 201"]?.boot?.services.kubelet?.state).toBe("Running"));
  const client = bench.client(address, cluster.client());
  await bench.eventually(async () => expect((await refusalOf(client.machine.version({}))).code).toBe("Unavailable"));
  await bench.controlPlane(cluster, 101, 11);
  await bench.eventually(() => client.machine.version({}));
  expect(await refusalOf(client.machine.etcdMemberList({}))).toEqual({
    code: "Unimplemented",
    text: "member list is only available on control plane nodes",
  });
});

test("etcd's data is on the node's disk, and is visible there before etcd runs", async () => {
  bench = await TalosBench.open();
  const { client } = await bench.controlPlane(bench.cluster(), 101, 11);
  const listed = async () => {
    const names: string[] = [];
    for await (const file of client.machine.list({ root: "/var/lib/etcd" })) names.push(file.relativeName);
    return names;
  };
  expect((await refusalOf(listed())).text).toBe("lstat /var/lib/etcd: no such file or directory");
  await bench.bootstrap(client);
  expect(await bench.eventually(listed)).toEqual([".", "member"]);
});
