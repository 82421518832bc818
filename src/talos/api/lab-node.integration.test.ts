import { TalosBench } from "@talosmith/lab/talos/testing/bench.ts";
import type { TestCluster } from "@talosmith/lab/talos/testing/configs.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MachineConfig } from "../config/machine-config.ts";
import { talosNodes } from "./client.ts";
import type { TalosNode } from "./talos-node.ts";
import type { TalosNodes } from "./talos-nodes.ts";
import { bundleWith } from "./testing/fake-node.ts";

/* The client on a node of the lab, which knows nothing of it: one control plane, bootstrapped. */

const MACHINE_STATUS = { namespace: "runtime", type: "MachineStatuses.runtime.talos.dev" };
const { signal } = new AbortController();
let bench: TalosBench;
let cluster: TestCluster;
let nodes: TalosNodes;
let node: TalosNode;

beforeAll(async () => {
  bench = await TalosBench.open();
  cluster = bench.cluster();
  const { address, client } = await bench.controlPlane(cluster, 100, 11);
  await bench.bootstrap(client);
  const key = cluster.os.key.export({ type: "pkcs8", format: "pem" }).toString();
  const os = { certificate: cluster.os.certificate, key: new Secret(key) };
  nodes = talosNodes(realWorld(), () => bundleWith(os));
  node = nodes.node(address);
}, 60_000);
afterAll(async () => {
  nodes?.close();
  await bench?.close();
});

async function first<T>(of: AsyncIterable<T>, fits: (one: T) => boolean): Promise<T> {
  for await (const one of of) if (fits(one)) return one;
  throw new Error("it ended before that");
}

test("it tells who it is and what it has", async () => {
  expect(await nodes.probe(node.address, signal)).toEqual({ is: "ours" });
  expect(await node.version(signal)).toMatchObject({ version: "v1.13.9", platform: "nocloud" });
  expect(await node.hostname(signal)).toBe("cp-11");
  expect(await node.memoryBytes(signal)).toBeGreaterThan(3 * 1024 ** 3);
  expect(await node.disks(signal)).toContainEqual(expect.objectContaining({ path: "/dev/sda", isSystem: true, readonly: false }));
  expect(await node.bootId(signal)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect((await node.machineConfigs(signal)).running.text).toContain("kind: HostnameConfig");
});

test("its clock is ours, and its certificate has not ended", async () => {
  const now = Date.now();
  expect(Math.abs((await node.time(signal)).local - now)).toBeLessThan(60_000);
  expect(await node.certificateEnds(signal)).toBeGreaterThan(now);
});

test("its etcd is healthy, alone, leads, and raises no alarm", async () => {
  expect((await node.services(signal)).find(({ id }) => id === "etcd")).toMatchObject({ state: "Running", healthy: true });
  const [member] = await node.etcdMembers(signal);
  expect(member).toMatchObject({ hostname: "cp-11", isLearner: false, peerUrls: [`https://${node.address}:2380`] });
  expect(await node.etcdStatus(signal)).toMatchObject({ id: member?.id, leader: member?.id, isLearner: false, errors: [] });
  expect(await node.etcdAlarms(signal)).toEqual([]);
});

test("it has found itself through discovery", async () => {
  expect(await node.members(signal)).toEqual([
    expect.objectContaining({ name: "cp-11", role: "controlplane", operatingSystem: "Talos (v1.13.9)" }),
  ]);
});

test("a second bootstrap has an error code of its own", async () => {
  await expect(node.bootstrap(signal)).rejects.toMatchObject({ code: "TALOS_ALREADY_BOOTSTRAPPED" });
});

test("a resource that this Talos does not have is unsupported, one that is not there is undefined", async () => {
  const nothing = { namespace: "runtime", type: "Nothings.runtime.talos.dev" };
  await expect(node.resources(nothing, signal)).rejects.toMatchObject({ code: "TALOS_UNSUPPORTED" });
  expect(await node.resource({ ...MACHINE_STATUS, id: "other" }, signal)).toBeUndefined();
});

test("its past is in its events and in its logs", async () => {
  const booted = await first(
    node.events({ tail: "all" }, signal),
    (event) => event.is === "sequence" && event.sequence === "boot" && event.action === "start",
  );
  expect(booted.id).not.toBe("");
  expect(await first(node.logs({ service: "etcd" }, signal), () => true)).not.toContain("\n");
  expect(await first(node.dmesg({}, signal), () => true)).not.toContain("\n");
});

test("a watch of one resource begins with it, and of a kind ends its beginning with a mark", async () => {
  expect(await first(node.watch({ ...MACHINE_STATUS, id: "machine" }, signal), () => true)).toMatchObject({
    event: "created",
    resource: { id: "machine" },
  });
  const seen: string[] = [];
  await first(node.watch(MACHINE_STATUS, signal), ({ event }) => {
    seen.push(event);
    return event === "bootstrapped";
  });
  expect(seen).toEqual(["created", "bootstrapped"]);
});

test("a config that is only tried out as a dry run changes nothing", async () => {
  const before = (await node.machineConfigs(signal)).stored.text;
  const changed = cluster.config("controlplane", "cp-11", [], (main) => {
    main.machine.sysctls = { "net.ipv4.ip_forward": "1" };
  });
  expect(await node.apply(MachineConfig.read(changed), "auto", signal, { dryRun: true })).toMatchObject({ rebooting: false });
  expect((await node.machineConfigs(signal)).stored.text).toBe(before);
});

test("a reboot is followed by its actor in the events, and gives the node another boot id", async () => {
  const before = await node.bootId(signal);
  const actor = await node.reboot(signal);
  const told = first(node.events({ tail: "all", actor }, signal), (event) => event.is === "sequence").catch((error) => error);
  await bench.eventually(async () => expect(await node.bootId(signal)).not.toBe(before));
  expect(await told).toSatisfy((one: { is?: string; transient?: boolean }) => one.is === "sequence" || one.transient === true);
}, 30_000);
