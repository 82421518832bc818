import { connect } from "node:http2";
import { gunzipSync } from "node:zlib";
import { fromBinary } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { ContainerDriver, ContainerdNamespace } from "@talosmith/wire/gen/common/common_pb.js";
import {
  NetstatRequest_Filter as Filter,
  ListRequest_Type,
  ServiceStateEventSchema,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { kubernetesService } from "../../kubernetes/service.ts";
import { refusalOf, TalosBench } from "../testing/bench.ts";
import type { TalosClient } from "../testing/client.ts";
import type { TestCluster } from "../testing/configs.ts";

// The inside of a node as talosctl shows it. Texts in Talos's server code, v1.13.9.

let bench: TalosBench;
let cluster: TestCluster;
let client: TalosClient;
let address: string;
let started: number;

beforeAll(async () => {
  started = Date.now();
  bench = await TalosBench.open({ more: [kubernetesService()] });
  cluster = bench.cluster();
  ({ client, address } = await bench.controlPlane(cluster, 101, 11));
  await bench.bootstrap(client);
});
afterAll(() => bench.close());

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of stream) found.push(one);
  return found;
}

test("an unknown method is refused in the headers alone, as Go's clients read it", async () => {
  const { certificate: cert, key, ca } = cluster.client();
  const session = connect(`https://${address}:50000`, { ca, cert, key });
  const request = session.request({
    ":method": "POST",
    ":path": "/machine.MachineService/Unicorn",
    "content-type": "application/grpc",
    te: "trailers",
  });
  const heard = await new Promise((done) => request.on("response", (headers, flags) => done({ headers, flags })).end());
  session.destroy();
  // END_STREAM | END_HEADERS: with data after it, even empty data, the status would have to be in the trailers.
  expect(heard).toMatchObject({
    headers: {
      "grpc-status": String(Code.Unimplemented),
      "grpc-message": "unknown method Unicorn for service machine.MachineService",
    },
    flags: 5,
  });
});

test("the containers are Talos's own and those of pods with their sandboxes; each runs as a process", async () => {
  const system = (await client.machine.containers({ namespace: "system" })).messages[0]?.containers ?? [];
  expect(system.map(({ id, status, image }) => [id, status, image])).toEqual([
    ["apid", "RUNNING", ""],
    ["trustd", "RUNNING", ""],
  ]);
  const pods = await bench.eventually(async () => {
    const { messages } = await client.machine.containers({ namespace: "k8s.io", driver: ContainerDriver.CRI });
    const found = messages[0]?.containers ?? [];
    expect(found.filter(({ podId }) => podId === "kube-system/kube-apiserver-cp-11")).toHaveLength(2);
    return found;
  });
  const [sandbox, server] = pods.filter(({ podId }) => podId === "kube-system/kube-apiserver-cp-11");
  expect(sandbox).toMatchObject({
    status: "SANDBOX_READY",
    id: "kube-system/kube-apiserver-cp-11",
    uid: expect.stringMatching(/.{36}/),
  });
  expect(server?.id).toMatch(/^kube-system\/kube-apiserver-cp-11:kube-apiserver:[0-9a-f]{12}$/);
  const processes = (await client.machine.processes({})).messages[0]?.processes ?? [];
  expect(processes[0]).toMatchObject({ pid: 1, ppid: 0, executable: "/usr/bin/init" });
  expect(processes.find(({ pid }) => pid === server?.pid)).toMatchObject({ executable: "/usr/local/bin/kube-apiserver" });
  const stats = (await client.machine.stats({ namespace: "k8s.io", driver: ContainerDriver.CRI })).messages[0]?.stats ?? [];
  expect(stats.find(({ id }) => id === server?.id)?.memoryUsage).toBeGreaterThan(0n);
  const log = (id: string) => all(client.machine.logs({ namespace: "k8s.io", driver: ContainerDriver.CRI, id, tailLines: -1 }));
  await log(server?.id ?? "");
  expect((await refusalOf(log("kube-system/unicorn:unicorn"))).text).toBe('container "kube-system/unicorn:unicorn" not found');
  expect(await refusalOf(client.machine.containers({ namespace: "system", driver: ContainerDriver.CRI }))).toEqual({
    code: "Unknown",
    text: "CRI inspector is supported only for K8s namespace",
  });
});

test("netstat lists sockets by protocol", async () => {
  const ask = { filter: Filter.LISTENING, feature: { pid: true }, l4proto: { tcp6: true }, netns: { hostnetwork: true } };
  const records = (await client.machine.netstat(ask)).messages[0]?.connectrecord ?? [];
  const listeners = records.map(({ localport, process }) => `${process?.name} ${localport}`);
  expect(listeners).toEqual(
    expect.arrayContaining(["apid 50000", "trustd 50001", "etcd 2379", "kubelet 10250", "kube-apiserver 6443"]),
  );
  expect(records.every(({ l4proto }) => l4proto === "tcp6")).toBe(true);
});

test("the file system can be listed, measured and copied", async () => {
  const root = await all(client.machine.list({ root: "/" }));
  expect(root.map(({ relativeName }) => relativeName)).toEqual(
    expect.arrayContaining([".", "bin", "etc", "proc", "sys", "system", "usr", "var"]),
  );
  // Go's bits: the highest one marks a folder.
  expect(root.find(({ name }) => name === "/etc")).toMatchObject({ isDir: true, mode: 0x8000_01ed });
  const used = await all(client.machine.diskUsage({ paths: ["/etc"], recursionDepth: 0, threshold: 0n }));
  expect(used.map(({ relativeName }) => relativeName)).toEqual(["cni", "kubernetes", "ssl", "."]);
  expect(used.at(-1)).toMatchObject({ name: "/etc", size: expect.anything() });
  const [packed] = await all(client.machine.copy({ rootPath: "/etc" }));
  expect(gunzipSync(packed?.bytes ?? Buffer.alloc(0)).toString()).toContain("VERSION_ID=v1.13.9");
  const [missing] = await all(client.machine.copy({ rootPath: "/nowhere" }));
  expect(missing?.metadata?.error).toBe("lstat /nowhere: no such file or directory");
});

test("a listing without a depth limit is complete, and links are copied as links", async () => {
  const deep = await all(client.machine.list({ root: "/var", recurse: true, recursionDepth: -1 }));
  expect(deep.map(({ relativeName }) => relativeName)).toContain("lib/etcd/member/snap/db");
  const [packed] = await all(client.machine.copy({ rootPath: "/sys/dev/block" }));
  // In a tar header the type is right before the link's target.
  expect(
    gunzipSync(packed?.bytes ?? Buffer.alloc(0))
      .subarray(156)
      .toString(),
  ).toMatch(/^2\.\.\/\.\.\/devices\/.*\/block\/sda\0/);
});

test("each control group counts what is below it, and the root has no limits", async () => {
  const found = await all(client.machine.list({ root: "/sys/fs/cgroup", recurse: true, types: [ListRequest_Type.REGULAR] }));
  const names = found.map(({ relativeName }) => relativeName);
  for (const group of ["init", "podruntime", "podruntime/etcd", "podruntime/runtime", "system/apid", "system/runtime"])
    expect(names).toEqual(expect.arrayContaining([`${group}/cpu.stat`, `${group}/memory.current`, `${group}/pids.current`]));
  expect(names.filter((name) => !name.includes("/"))).toContain("cpu.stat");
  expect(names).not.toContain("memory.current");
  const number = async (path: string) => {
    const [text] = await all(client.machine.read({ path: `/sys/fs/cgroup/${path}/memory.current` }));
    return Number(Buffer.from(text?.bytes ?? []).toString());
  };
  expect(await number("podruntime")).toBe(
    (await number("podruntime/etcd")) + (await number("podruntime/kubelet")) + (await number("podruntime/runtime")),
  );
});

test("resources have the names and owners of a real node", async () => {
  const found = async (namespace: string, type: string) =>
    (await all(client.state.list({ namespace, type }))).map(
      ({ resource }) => `${resource?.metadata?.id} ${resource?.metadata?.owner}`,
    );
  expect(await found("secrets", "CertSANs.secrets.talos.dev")).toEqual([
    "api secrets.APICertSANsController",
    "k8s secrets.KubernetesCertSANsController",
    "maintenance secrets.MaintenanceCertSANsController",
  ]);
  expect(await found("network", "LinkSpecs.net.talos.dev")).toContain("lo LinkMergeControllers.net.talos.dev");
  expect((await found("network", "DNSUpstreams.net.talos.dev"))[0]).toMatch(/^#000 \d/);
  const mounts = await found("runtime", "MountStatuses.block.talos.dev");
  for (const id of ["EPHEMERAL", "ETCD", "STATE", "/var/lib", "/var/lib/containerd", "/var/run"])
    expect(mounts).toContain(`${id} block.MountController`);
});

test("a value written to META is kept until it is deleted", async () => {
  await client.machine.metaWrite({ key: 10, value: Buffer.from("kept") });
  expect(await bench.resource(client, "runtime", "MetaKeys.runtime.talos.dev", "0x0a")).toEqual({ value: "kept" });
  await client.machine.metaDelete({ key: 10 });
  expect(await refusalOf(client.machine.metaDelete({ key: 10 }))).toEqual({ code: "NotFound", text: "meta key not found" });
  expect((await refusalOf(client.machine.metaWrite({ key: 256 }))).text).toBe("key must be a uint8");
});

test("a pulled image is listed, and an unknown one is not found", async () => {
  const containerd = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_SYSTEM };
  const imageRef = "factory.talos.dev/installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.13.9";
  expect((await all(client.images.pull({ containerd, imageRef }))).at(-1)?.name).toBe(imageRef);
  const names = (await all(client.images.list({ containerd }))).map(({ name }) => name);
  // Each by its name, by its digest in the repository, and by the digest alone.
  const repositories = ["factory.talos.dev", "ghcr.io/siderolabs/kubelet", "registry.k8s.io/etcd"];
  expect(names.filter((name) => !name.startsWith("sha256:"))).toEqual(
    repositories.flatMap((one) => [expect.stringMatching(`^${one}.*:v`), expect.stringMatching(`^${one}.*@sha256:`)]),
  );
  expect(names.filter((name) => name.startsWith("sha256:"))).toHaveLength(3);
  const never = await refusalOf(all(client.images.pull({ containerd, imageRef: "registry.example/unicorn:1" })));
  expect(never).toEqual({ code: "NotFound", text: expect.stringMatching(/unicorn:1: not found$/) });
});

// A real talosctl printed "LAST CHANGE 7692h ago", because the response had the lab's virtual time.
test.each<[string, () => Promise<(number | Timestamp | undefined)[]>]>([
  [
    "a resource was changed",
    async () => {
      const get = { namespace: "runtime", type: "MachineStatuses.runtime.talos.dev", id: "machine" };
      return [(await client.state.get(get)).resource?.metadata?.updated];
    },
  ],
  [
    "a service has logged a line",
    async () => {
      const lines = await all(client.machine.logs({ namespace: "system", id: "etcd", tailLines: -1 }));
      return lines.map(({ bytes }) => Date.parse(Buffer.from(bytes).toString().split(" ")[0] ?? ""));
    },
  ],
  [
    "an event says that a service changed",
    async () => {
      for await (const { data } of client.machine.events({ tailEvents: -1 }))
        if (data?.typeUrl.endsWith("ServiceStateEvent"))
          return [fromBinary(ServiceStateEventSchema, data.value).health?.lastChange];
      return [];
    },
  ],
  [
    "a file was written",
    async () => (await all(client.machine.list({ root: "/etc" }))).map((one) => Number(one.modified) * 1000),
  ],
  [
    "an image was pulled",
    async () => {
      const containerd = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_SYSTEM };
      return (await all(client.images.list({ containerd }))).map(({ createdAt }) => createdAt);
    },
  ],
])("the time at which %s is in real time", async (_, times) => {
  const seen = (await times()).map((at) => (typeof at === "object" ? timestampMs(at) : (at ?? Number.NaN)));
  expect(seen).not.toEqual([]);
  // Some times have whole seconds.
  const second = Math.floor(started / 1000) * 1000;
  expect(seen.filter((at) => !(at >= second && at <= Date.now()))).toEqual([]);
});

test("a talosconfig created by the node has the requested roles", async () => {
  const { messages } = await client.machine.generateClientConfiguration({ roles: ["os:reader"], crtTtl: { seconds: 3600n } });
  const { context, contexts } = parse(Buffer.from(messages[0]?.talosconfig ?? []).toString());
  expect(context).toBe("reader@test");
  const text = (field: string) => Buffer.from(contexts[context][field], "base64").toString();
  const key = text("key").replaceAll("ED25519 PRIVATE KEY", "PRIVATE KEY");
  const reader = bench.client(address, { ca: text("ca"), certificate: text("crt"), key });
  expect((await reader.machine.version({})).messages).toHaveLength(1);
  expect((await refusalOf(reader.machine.reboot({}))).code).toBe("PermissionDenied");
});

test("captures begin with a file header, and the graph shows the writer of each resource", async () => {
  for await (const { bytes } of client.machine.packetCapture({ interface: "eth0", snapLen: 96 })) {
    expect([bytes.length, Buffer.from(bytes).readUInt32LE(16)]).toEqual([24, 96]);
    break;
  }
  expect(await refusalOf(all(client.machine.packetCapture({ interface: "unicorn0" })))).toEqual({
    code: "NotFound",
    text: 'interface "unicorn0" not found',
  });
  // talosctl names the node in the metadata for several.
  const { messages } = await client.inspect.controllerRuntimeDependencies({}, { headers: { nodes: address } });
  const edges = messages[0]?.edges ?? [];
  expect(edges.find(({ resourceType }) => resourceType === "EtcdSpecs.etcd.talos.dev")?.controllerName).toBe(
    "etcd.SpecController",
  );
});
