import { X509Certificate } from "node:crypto";
import * as tls from "node:tls";
import { afterEach, expect, test } from "vitest";
import type { KubeObject, Loose } from "./objects.ts";
import { Bench, type BenchOptions, machine } from "./testing/bench.ts";

let bench: Bench;
afterEach(() => bench.close());

async function cluster(options: BenchOptions = {}): Promise<Bench> {
  bench = await Bench.open(options);
  return bench;
}

const ready = (node: Loose) => node.status.conditions.find((it: Loose) => it.type === "Ready");

async function nodesReady(count: number): Promise<KubeObject[]> {
  return bench.until(async () => {
    const { items } = await bench.admin.get("/api/v1/nodes");
    return items.length === count && items.every((node: Loose) => ready(node).status === "True") && items;
  }, "nodes ready");
}

test("the API server's certificate is issued by the cluster CA and contains all names of the endpoint and the node", async () => {
  await cluster({ settings: { endpoint: "https://api.example.org:6443", certSans: ["extra.example.org"], vip: "10.10.0.5" } });
  const seen = await new Promise<string>((resolve, reject) => {
    const socket = tls.connect({ host: bench.lab.address.host(11), port: 6443, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.toString() ?? "");
      socket.destroy();
    });
    socket.on("error", reject);
  });
  const certificate = new X509Certificate(seen);
  expect(certificate.verify(new X509Certificate(bench.ca).publicKey)).toBe(true);
  for (const name of ["api.example.org", "extra.example.org", "kubernetes.default.svc", "localhost"]) {
    expect(certificate.checkHost(name)).toBe(name);
  }
  for (const address of ["10.10.0.11", "10.10.0.5", "10.96.0.1", "127.0.0.1"]) expect(certificate.checkIP(address)).toBe(address);
});

test("the API server answers at the VIP as well", async () => {
  await cluster({ settings: { vip: "10.10.0.5" } });
  const answer = await bench.until(async () => {
    try {
      return await new Promise<boolean>((resolve, reject) => {
        const socket = tls.connect({ host: bench.lab.address.host(5), port: 6443, rejectUnauthorized: false }, () => {
          socket.destroy();
          resolve(true);
        });
        socket.on("error", reject);
      });
    } catch {
      return false;
    }
  });
  expect(answer).toBe(true);
});

test("a new VIP cuts no connection and is in the certificate, and client certificates stay valid", async () => {
  await cluster();
  const dial = (last: number) =>
    new Promise<tls.TLSSocket>((resolve, reject) => {
      const options = { host: bench.lab.address.host(last), port: 6443, rejectUnauthorized: false };
      const socket = tls.connect(options, () => resolve(socket)).on("error", reject);
    });
  const before = await dial(11);
  bench.change((nodes) =>
    nodes.map((node) => ({
      ...node,
      ...(node.controlPlane && { controlPlane: { ...node.controlPlane, vip: "10.10.0.5" } }),
    })),
  );
  const there = await bench.until(() => dial(5).catch(() => undefined), "an answer at the VIP");
  const after = await dial(11);
  for (const socket of [there, after]) expect(socket.getPeerX509Certificate()?.checkIP("10.10.0.5")).toBe("10.10.0.5");
  expect(before.getPeerX509Certificate()?.checkIP("10.10.0.5")).toBeUndefined();
  expect(before.readyState).toBe("open");
  for (const socket of [before, there, after]) socket.destroy();
  expect((await (await bench.user("somebody", ["system:masters"])).get("/api/v1/nodes")).items).toBeDefined();
});

test("nodes register with their roles, addresses and versions, and become ready with flannel", async () => {
  await cluster({ workers: 2 });
  const nodes = await nodesReady(3);
  const [control, worker] = nodes;
  expect(control?.metadata.labels).toMatchObject({
    "node-role.kubernetes.io/control-plane": "",
    "kubernetes.io/hostname": "cp-1",
  });
  expect(control?.spec.taints).toEqual([{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }]);
  expect(worker?.spec.taints).toBeUndefined();
  expect(worker?.status.addresses).toEqual([
    { type: "InternalIP", address: "10.10.0.21" },
    { type: "Hostname", address: "worker-1" },
  ]);
  expect(worker?.status.nodeInfo).toMatchObject({ kubeletVersion: "v1.36.3", osImage: "Talos (v1.13.9)" });
  expect(new Set(nodes.map((node) => node.spec.podCIDR)).size).toBe(3);
});

test("without a CNI nodes stay NotReady and CoreDNS stays Pending", async () => {
  await cluster({ settings: { cni: "none", proxy: false } });
  const pods = await bench.until(async () => {
    const { items } = await bench.admin.get("/api/v1/namespaces/kube-system/pods?labelSelector=k8s-app%3Dkube-apiserver");
    return (
      items.length === 1 &&
      items[0].status.phase === "Running" &&
      (await bench.admin.get("/api/v1/namespaces/kube-system/pods")).items
    );
  });
  const { items } = await bench.admin.get("/api/v1/nodes");
  expect(items.map((node: Loose) => ready(node).status)).toEqual(["False", "False"]);
  expect(ready(items[0]).message).toContain("cni plugin not initialized");
  const dns = pods.filter((pod: Loose) => pod.metadata.labels["k8s-app"] === "kube-dns");
  expect(dns.map((pod: Loose) => pod.status.phase)).toEqual(["Pending", "Pending"]);
});

test("the control plane's static pods are mirrored for each control plane, ready, with Talos' labels", async () => {
  await cluster({ controlPlanes: 3, workers: 0 });
  for (const app of ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]) {
    const pods = await bench.until(async () => {
      const { items } = await bench.admin.get(`/api/v1/namespaces/kube-system/pods?labelSelector=k8s-app%3D${app}`);
      const up = items.filter((pod: Loose) =>
        pod.status.conditions?.some((it: Loose) => it.type === "Ready" && it.status === "True"),
      );
      return up.length === 3 && items;
    });
    expect(pods.map((pod: Loose) => pod.metadata.name)).toEqual(["cp-1", "cp-2", "cp-3"].map((node) => `${app}-${node}`));
    expect(pods[0].metadata.annotations["kubernetes.io/config.mirror"]).toBeDefined();
  }
});

test("a machine that is off is NotReady after 40 seconds, and ready again when it is on", async () => {
  await cluster({ timeScale: 200 });
  await nodesReady(2);
  const before = bench.lab.now();
  bench.change((nodes) => nodes.filter(({ name }) => name !== "worker-1"));
  const node = await bench.until(async () => {
    const found = await bench.admin.get("/api/v1/nodes/worker-1");
    return ready(found).status === "Unknown" && found;
  });
  expect(bench.lab.now() - before).toBeGreaterThanOrEqual(40_000);
  expect(ready(node)).toMatchObject({ reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." });
  expect(node.spec.taints).toContainEqual({ key: "node.kubernetes.io/unreachable", effect: "NoExecute" });
  bench.change((nodes) => [...nodes, { ...machine("worker-1", "10.10.0.21"), bootId: "boot-2" }]);
  await nodesReady(2);
});

test("a Node deleted under a running kubelet stays deleted until the machine boots again", async () => {
  await cluster();
  await nodesReady(2);
  expect((await bench.admin.call("DELETE", "/api/v1/nodes/worker-1")).status).toBe(200);
  bench.change((nodes) => nodes);
  await bench.until(
    async () => (await bench.admin.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dworker-1")).items.length === 0,
  );
  expect((await bench.admin.call("GET", "/api/v1/nodes/worker-1")).status).toBe(404);
  bench.change((nodes) => nodes.map((node) => (node.name === "worker-1" ? { ...node, bootId: "boot-2" } : node)));
  await nodesReady(2);
});

test("labels and taints of the config are added and removed with it, all others stay", async () => {
  await cluster();
  await nodesReady(2);
  const configured = (labels: Record<string, string>, taints: { key: string; value?: string; effect: string }[]) =>
    bench.change((nodes) =>
      nodes.map((node) => (node.name === "worker-1" ? { ...node, kubelet: { ...node.kubelet, labels, taints } } : node)),
    );
  await bench.admin.patch("/api/v1/nodes/worker-1", "application/merge-patch+json", { metadata: { labels: { mine: "yes" } } });
  configured({ tier: "general" }, [{ key: "gpu", value: "true", effect: "NoSchedule" }]);
  const marked = await bench.until(async () => {
    const node = await bench.admin.get("/api/v1/nodes/worker-1");
    return node.metadata.labels.tier === "general" && node;
  });
  expect(marked.spec.taints).toEqual([{ key: "gpu", value: "true", effect: "NoSchedule" }]);
  configured({}, []);
  const bare = await bench.until(async () => {
    const node = await bench.admin.get("/api/v1/nodes/worker-1");
    return node.metadata.labels.tier === undefined && node;
  });
  expect([bare.metadata.labels.mine, bare.spec.taints]).toEqual(["yes", undefined]);
});

test("the static pods of an upgraded control plane have the new version", async () => {
  await cluster();
  await nodesReady(2);
  bench.change((nodes) =>
    nodes.map((node) => ({
      ...node,
      kubelet: { ...node.kubelet, version: "v1.36.4" },
      ...(node.controlPlane && { controlPlane: { ...node.controlPlane, kubernetes: "v1.36.4" } }),
    })),
  );
  await bench.until(async () => {
    const pod = await bench.admin.get("/api/v1/namespaces/kube-system/pods/kube-apiserver-cp-1");
    return pod.spec.containers[0].image === "registry.k8s.io/kube-apiserver:v1.36.4" && pod.status.phase === "Running";
  });
  expect((await bench.admin.get("/version")).gitVersion).toBe("v1.36.4");
  await bench.until(async () => (await bench.admin.get("/api/v1/nodes/worker-1")).status.nodeInfo.kubeletVersion === "v1.36.4");
});

test("a cluster that is bootstrapped again is empty", async () => {
  await cluster();
  await bench.admin.create("/api/v1/namespaces/default/configmaps", { metadata: { name: "kept" } });
  bench.change((nodes) =>
    nodes.map((node) =>
      node.controlPlane ? { ...node, bootId: "boot-2", controlPlane: { ...node.controlPlane, etcdCluster: "second" } } : node,
    ),
  );
  await bench.until(
    async () =>
      (await bench.admin.call("GET", "/api/v1/namespaces/default/configmaps/kept").catch(() => undefined))?.status === 404,
  );
});

test("without quorum the API does not answer, and afterwards the state is unchanged", async () => {
  await cluster();
  await bench.admin.create("/api/v1/namespaces/default/configmaps", { metadata: { name: "kept" } });
  const quorum = (etcd: boolean) =>
    bench.change((nodes) =>
      nodes.map((node) => (node.controlPlane ? { ...node, controlPlane: { ...node.controlPlane, etcd } } : node)),
    );
  quorum(false);
  await bench.until(() =>
    bench.admin.call("GET", "/readyz").then(
      () => false,
      () => true,
    ),
  );
  quorum(true);
  await bench.admin.answers();
  expect((await bench.admin.get("/api/v1/namespaces/default/configmaps/kept")).metadata.name).toBe("kept");
});

test("a lab restored from a snapshot continues from its state", async () => {
  await cluster({ timeScale: 20 });
  const snapshot = bench.lab.snapshot();
  await nodesReady(2);
  bench.lab.restore(snapshot);
  await bench.admin.answers();
  await nodesReady(2);
  const again = bench.lab.snapshot();
  bench.lab.restore(again);
  expect(JSON.parse(bench.lab.snapshot()).services).toEqual(JSON.parse(again).services);
});

test("inline manifests are applied, also those of kinds that other manifests define", async () => {
  const contents = [
    "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: mine, namespace: default}\nspec: {cron: daily}",
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: crontabs.stable.example.com}\nspec: {group: stable.example.com, scope: Namespaced, names: {plural: crontabs, kind: CronTab}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}",
  ].join("\n---\n");
  await cluster({ settings: { inlineManifests: [{ name: "x", contents }] } });
  const found = await bench.until(async () => {
    const answer = await bench.admin.call("GET", "/apis/stable.example.com/v1/namespaces/default/crontabs/mine");
    return answer.status === 200 && answer.body;
  });
  expect(found.spec).toEqual({ cron: "daily" });
});
