import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { flux2 } from "../../charts/flux2.ts";
import type { Loose } from "../objects.ts";
import { Bench } from "../testing/bench.ts";
import { findImage } from "./images.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({ timeScale: 1000 });
  await bench.admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "everything" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "default", namespace: "kube-system" }],
  });
});
afterEach(() => bench.close());

const PODS = "/api/v1/namespaces/kube-system/pods";

async function run(name: string, container: Loose, more: Loose = {}): Promise<void> {
  await bench.admin.create(PODS, {
    metadata: { name },
    spec: { nodeName: "worker-1", hostNetwork: true, containers: [{ name: "c", ...container }], ...more },
  });
}

const isReady = ({ status }: Loose) =>
  (status?.conditions ?? []).some((it: Loose) => it.type === "Ready" && it.status === "True");
const ready = (name: string) => bench.until(async () => isReady(await bench.admin.get(`${PODS}/${name}`)), `${name} ready`);
const logs = async (name: string, query = "") => (await bench.admin.call("GET", `${PODS}/${name}/log${query}`)).text;

/** Sets the files of the machine of worker-1. */
const onMachine = (files: Record<string, string>) =>
  bench.change((nodes) => nodes.map((node) => (node.name === "worker-1" ? { ...node, files } : node)));

describe("Longhorn's manager", () => {
  const start = () =>
    run(
      "manager",
      {
        image: "docker.io/longhornio/longhorn-manager:v1.12.1",
        command: ["longhorn-manager", "-d", "daemon"],
        volumeMounts: [{ name: "proc", mountPath: "/host/proc/" }],
      },
      { volumes: [{ name: "proc", hostPath: { path: "/proc/" } }] },
    );

  // Output of longhorn-manager 1.8 on a Talos node without the extension.
  test("exits with its own message on a machine without iscsi-tools", async () => {
    await start();
    await bench.until(async () => (await bench.admin.get(`${PODS}/manager`)).status?.containerStatuses?.[0]?.restartCount > 0);
    expect(await logs("manager", "?previous=true")).toContain(
      "failed to check environment, please make sure you have iscsiadm/open-iscsi installed on the host",
    );
  });

  test("runs on a machine with iscsid", async () => {
    onMachine({ "/proc/1843/comm": "iscsid\n" });
    await start();
    await ready("manager");
  });
});

test("a node has the GPUs that its device plugin found", async () => {
  onMachine({ "/dev/nvidia0": "", "/dev/nvidia1": "" });
  const container = {
    image: "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
    command: ["nvidia-device-plugin"],
    volumeMounts: [{ name: "dev", mountPath: "/dev" }],
  };
  await run("plugin", container, { volumes: [{ name: "dev", hostPath: { path: "/dev" } }] });
  const status = await bench.until(async () => {
    const { status } = await bench.admin.get("/api/v1/nodes/worker-1");
    return status.capacity["nvidia.com/gpu"] !== undefined && status;
  });
  expect([status.capacity["nvidia.com/gpu"], status.allocatable["nvidia.com/gpu"]]).toEqual(["2", "2"]);
  expect((await bench.admin.get("/api/v1/nodes/cp-1")).status.capacity["nvidia.com/gpu"]).toBeUndefined();
});

test("metrics-server becomes ready when every kubelet has a certificate of the cluster, which the approver approves", async () => {
  const readinessProbe = { httpGet: { path: "/readyz", port: 10250, scheme: "HTTPS" } };
  await run("metrics", { image: "registry.k8s.io/metrics-server/metrics-server:v0.8.1", readinessProbe });
  await bench.until(async () => (await logs("metrics")).includes('"Failed to scrape node"'));
  expect(isReady(await bench.admin.get(`${PODS}/metrics`))).toBe(false);
  bench.change((nodes) =>
    nodes.map((node) => ({ ...node, kubelet: { ...node.kubelet, rotatesServerCertificate: true as const } })),
  );
  await run("approver", { image: "ghcr.io/alex1989hu/kubelet-serving-cert-approver:0.10.0" });
  await ready("metrics");
});

describe("Flux", () => {
  const SOURCES = "/apis/source.toolkit.fluxcd.io/v1/namespaces/kube-system/gitrepositories";
  const KUSTOMIZATIONS = "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/kube-system/kustomizations";
  const secret = (name: string, stringData: Loose) =>
    bench.admin.create("/api/v1/namespaces/kube-system/secrets", { metadata: { name }, stringData });
  const message = (path: string, wanted: RegExp) =>
    bench.until(async () => {
      const { status } = await bench.admin.get(path);
      const it = (status?.conditions ?? []).find(({ type }: Loose) => type === "Ready");
      return wanted.test(it?.message ?? "") && it;
    }, String(wanted));

  // Messages of fluxcd/pkg/git, source-controller and kustomize-controller.
  test("reports missing secrets, and syncs when they exist", async () => {
    for (const document of definitionsOf(["source-controller", "kustomize-controller"]))
      await bench.admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", document);
    await run("sources", { image: "ghcr.io/fluxcd/source-controller:v1.8.2" });
    await run("kustomize", { image: "ghcr.io/fluxcd/kustomize-controller:v1.8.3" });
    await bench.until(
      async () =>
        (await bench.admin.call("GET", KUSTOMIZATIONS)).status === 200 && (await bench.admin.call("GET", SOURCES)).status === 200,
    );
    await bench.admin.create(SOURCES, {
      apiVersion: "source.toolkit.fluxcd.io/v1",
      kind: "GitRepository",
      metadata: { name: "home" },
      spec: { url: "ssh://git@example.org/home.git", interval: "1m", ref: { branch: "main" }, secretRef: { name: "home" } },
    });
    await bench.admin.create(KUSTOMIZATIONS, {
      apiVersion: "kustomize.toolkit.fluxcd.io/v1",
      kind: "Kustomization",
      metadata: { name: "home" },
      spec: {
        interval: "10m",
        prune: true,
        path: "./",
        sourceRef: { kind: "GitRepository", name: "home" },
        decryption: { provider: "sops", secretRef: { name: "sops-age" } },
      },
    });
    await message(`${SOURCES}/home`, /^failed to get secret 'kube-system\/home': secrets "home" not found$/);
    await message(`${KUSTOMIZATIONS}/home`, /^Source artifact not found, retrying in 30s$/);
    await secret("home", { identity: "key" });
    await message(`${SOURCES}/home`, /invalid 'ssh' auth option: 'known_hosts' is required$/);
    await bench.admin.patch("/api/v1/namespaces/kube-system/secrets/home", "application/merge-patch+json", {
      stringData: { known_hosts: "example.org ssh-ed25519 AAAA" },
    });
    await message(`${SOURCES}/home`, /^stored artifact for revision 'main@sha1:[0-9a-f]{40}'$/);
    await message(`${KUSTOMIZATIONS}/home`, /^secrets "sops-age" not found$/);
    await secret("sops-age", { "age.agekey": "AGE-SECRET-KEY-1LAB\n" });
    await message(`${KUSTOMIZATIONS}/home`, /^Applied revision: main@sha1:[0-9a-f]{40}$/);
  });

  function definitionsOf(controllers: readonly string[]): Loose[] {
    const files = flux2.files({ version: "2.18.3", app: "2.8.5" });
    return controllers.flatMap((name) =>
      (files[`templates/${name}.crds.yaml`] ?? "")
        .split("\n")
        .flatMap((line) => (line.startsWith('{"') ? [JSON.parse(line)] : [])),
    );
  }
});

test("an unknown image is not found, in any registry", () => {
  expect([findImage("nvcr.io/nvidia/driver:595"), findImage("quay.io/jetstack/cert-manager-webhook:v1.21.2")?.name]).toEqual([
    undefined,
    "jetstack/cert-manager-webhook",
  ]);
});
