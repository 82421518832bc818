import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chartsService } from "../../charts/service.ts";
import type { Loose } from "../objects.ts";
import { Bench } from "../testing/bench.ts";

const HELLO = {
  "Chart.yaml": "apiVersion: v2\nname: hello\nversion: 1.0.0\n",
  "values.yaml": "image: nginx\ntext: hi\nreplicas: 1\nextra: true\n",
  "templates/all.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  text: {{ .Values.text | quote }}
{{- if .Values.extra }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-extra
{{- end }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      app: hello
  template:
    metadata:
      labels:
        app: hello
    spec:
      containers:
        - name: c
          image: {{ .Values.image }}
`,
};

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({
    timeScale: 400,
    services: [chartsService({ charts: [HELLO] })],
    settings: { cni: "none", proxy: false },
  });
  await bench.admin.create("/api/v1/namespaces/kube-system/serviceaccounts", { metadata: { name: "helm" } });
  await bench.admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "helm" },
    roleRef: { kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "helm", namespace: "kube-system" }],
  });
});
afterEach(() => bench.close());

const JOBS = "/apis/batch/v1/namespaces/kube-system/jobs";
let runs = 0;

/** Runs helm in a pod as talosmith does: on the host's network, through KubePrism. */
async function start(args: readonly string[], values = ""): Promise<string> {
  const name = `helm-${++runs}`;
  await bench.admin.create("/api/v1/namespaces/kube-system/secrets", {
    metadata: { name },
    stringData: { "values.yaml": values },
  });
  await bench.admin.create(JOBS, {
    metadata: { name },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: "Never",
          hostNetwork: true,
          serviceAccountName: "helm",
          tolerations: [{ operator: "Exists" }],
          volumes: [{ name: "values", secret: { secretName: name } }],
          containers: [
            {
              name: "helm",
              image: "docker.io/alpine/helm:3.19.0",
              args,
              env: [
                { name: "KUBERNETES_SERVICE_HOST", value: "localhost" },
                { name: "KUBERNETES_SERVICE_PORT", value: "7445" },
              ],
              volumeMounts: [{ name: "values", mountPath: "/values" }],
            },
          ],
        },
      },
    },
  });
  return name;
}

async function finished(name: string): Promise<{ ok: boolean; log: string }> {
  const condition = await bench.until(async () => {
    const conditions: Loose[] = (await bench.admin.get(`${JOBS}/${name}`)).status?.conditions ?? [];
    return conditions.find(({ type }) => type === "Complete" || type === "Failed");
  }, name);
  const { items } = await bench.admin.get(`/api/v1/namespaces/kube-system/pods?labelSelector=job-name%3D${name}`);
  const log = await bench.admin.call("GET", `/api/v1/namespaces/kube-system/pods/${items[0].metadata.name}/log`);
  return { ok: condition.type === "Complete", log: log.text };
}

const helm = async (args: readonly string[], values = "") => finished(await start(args, values));
const repository = () => bench.lab.published().charts?.url ?? "";
const upgrade = (...more: string[]) => [
  "upgrade",
  "--install",
  "hello",
  "hello",
  "--repo",
  repository(),
  "--namespace",
  "kube-system",
  ...more,
];

async function releases(name: string): Promise<Loose[]> {
  const { items } = await bench.admin.get(`/api/v1/namespaces/kube-system/secrets?labelSelector=owner%3Dhelm,name%3D${name}`);
  return items;
}

const decoded = (secret: Loose) =>
  JSON.parse(gunzipSync(Buffer.from(Buffer.from(secret.data.release, "base64").toString(), "base64")).toString());

describe("a release", () => {
  test("is installed with Helm's labels and annotations, and stored as Helm stores it", async () => {
    const { ok, log } = await helm(upgrade("--version", "1.0.0", "--values", "/values/values.yaml"), "text: hello\n");
    expect(log).toMatch(
      /^Release "hello" does not exist. Installing it now.\nNAME: hello\nLAST DEPLOYED: .*\nNAMESPACE: kube-system\nSTATUS: deployed\nREVISION: 1\n/,
    );
    expect(ok).toBe(true);
    const map = await bench.admin.get("/api/v1/namespaces/kube-system/configmaps/hello");
    expect(map).toMatchObject({
      data: { text: "hello" },
      metadata: {
        labels: { "app.kubernetes.io/managed-by": "Helm" },
        annotations: { "meta.helm.sh/release-name": "hello", "meta.helm.sh/release-namespace": "kube-system" },
      },
    });
    const [secret] = await releases("hello");
    expect(secret).toMatchObject({
      type: "helm.sh/release.v1",
      metadata: {
        name: "sh.helm.release.v1.hello.v1",
        labels: { name: "hello", owner: "helm", status: "deployed", version: "1" },
      },
    });
    expect(decoded(secret)).toMatchObject({
      name: "hello",
      info: { status: "deployed", description: "Install complete", deleted: "" },
      chart: { metadata: { name: "hello", version: "1.0.0" }, values: { text: "hi" } },
      config: { text: "hello" },
      version: 1,
      namespace: "kube-system",
    });
  });

  test("is upgraded: the old revision is superseded, objects removed from the chart are deleted", async () => {
    await helm(upgrade());
    const { log } = await helm(upgrade("--set", "extra=false,text=new"));
    expect(log).toContain('Release "hello" has been upgraded. Happy Helming!');
    expect((await bench.admin.get("/api/v1/namespaces/kube-system/configmaps/hello")).data.text).toBe("new");
    expect((await bench.admin.call("GET", "/api/v1/namespaces/kube-system/configmaps/hello-extra")).status).toBe(404);
    expect((await releases("hello")).map((it) => it.metadata.labels.status)).toEqual(["superseded", "deployed"]);
  });

  test("keeps custom labels on its records and on later revisions, and refuses Helm's own labels", async () => {
    await helm(upgrade("--labels", "talosmith.dev/environment=home-1234"));
    await helm(upgrade("--set", "text=new"));
    const labels = (await releases("hello")).map((it) => it.metadata.labels["talosmith.dev/environment"]);
    expect(labels).toEqual(["home-1234", "home-1234"]);
    const { log } = await helm(upgrade("--labels", "owner=me"));
    // Message of helm v3.18.6.
    expect(log).toContain(
      "user supplied labels contains system reserved label name. System labels: [name owner status version createdAt modifiedAt]",
    );
  });

  test("can be installed from an external OCI registry", async () => {
    const reference = "oci://ghcr.io/sergelogvinov/charts/proxmox-cloud-controller-manager";
    const install = (version: string) =>
      helm(["upgrade", "--install", "ccm", reference, "--version", version, "--namespace", "kube-system"]);
    expect((await install("0.2.28")).ok).toBe(true);
    // Message of helm v3.18.6.
    expect((await install("9.9.9")).log).toContain(
      'failed to perform "FetchReference" on source: ghcr.io/sergelogvinov/charts/proxmox-cloud-controller-manager:9.9.9: not found',
    );
  });

  test("is uninstalled with all its objects", async () => {
    await helm(upgrade());
    expect((await helm(["uninstall", "hello", "-n", "kube-system"])).log).toBe('release "hello" uninstalled\n');
    expect(await releases("hello")).toEqual([]);
    expect((await bench.admin.call("GET", "/api/v1/namespaces/kube-system/configmaps/hello")).status).toBe(404);
  });

  test("waits for objects that never become ready, and fails", async () => {
    const { ok, log } = await helm(upgrade("--wait", "--timeout", "10s"));
    expect([ok, log.split("\n").at(-2)]).toEqual([false, "Error: context deadline exceeded"]);
    expect((await releases("hello")).map((it) => it.metadata.labels.status)).toEqual(["failed"]);
    const { log: again } = await helm(upgrade());
    expect(again).toContain("Happy Helming!");
  });

  test("stays pending when its helm was killed, and the next helm is refused", async () => {
    const name = await start(upgrade("--wait", "--timeout", "24h"));
    await bench.until(async () => (await releases("hello"))[0]?.metadata.labels.status === "pending-install");
    await bench.admin.call("DELETE", `${JOBS}/${name}`, { propagationPolicy: "Background" });
    await bench.until(
      async () =>
        (await bench.admin.get(`/api/v1/namespaces/kube-system/pods?labelSelector=job-name%3D${name}`)).items.length === 0,
    );
    const { ok, log } = await helm(upgrade());
    // Message of helm v3.19.0.
    expect([ok, log]).toEqual([false, "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress\n"]);
    const [pending] = await releases("hello");
    await bench.admin.call("DELETE", `/api/v1/namespaces/kube-system/secrets/${pending.metadata.name}`);
    // Its objects have the release's annotations, so that it may adopt them.
    expect((await helm(upgrade())).ok).toBe(true);
  });

  test("continues when the lab is restored from a snapshot taken during the installation", async () => {
    const name = await start(upgrade("--wait", "--timeout", "10s"));
    await bench.until(async () => (await releases("hello"))[0]?.metadata.labels.status === "pending-install");
    bench.lab.restore(bench.lab.snapshot());
    await bench.admin.answers();
    const { log } = await finished(name);
    expect(log.split("\n").at(-2)).toBe("Error: context deadline exceeded");
  });
});

// helm v3.19.0 printed each of these texts against this lab.
test.each<[string, () => string[], (repo: string) => string]>([
  [
    "no such chart",
    () => ["upgrade", "--install", "y", "nope", "--repo", repository()],
    (repo) => `chart "nope" not found in ${repo} repository`,
  ],
  [
    "no such version",
    () => ["upgrade", "--install", "y", "hello", "--version", "9", "--repo", repository()],
    (repo) => `chart "hello" version "9" not found in ${repo} repository`,
  ],
  [
    "no such repository",
    () => ["upgrade", "--install", "y", "hello", "--repo", `${repository()}/x`],
    (repo) =>
      `looks like "${repo}/x" is not a valid chart repository or cannot be reached: failed to fetch ${repo}/x/index.yaml : 404 Not Found`,
  ],
  [
    "a repository that refuses connections",
    () => ["upgrade", "--install", "y", "hello", "--repo", "http://127.0.0.1:1"],
    () =>
      'looks like "http://127.0.0.1:1" is not a valid chart repository or cannot be reached: Get "http://127.0.0.1:1/index.yaml": dial tcp 127.0.0.1:1: connect: connection refused',
  ],
  [
    "nothing to upgrade",
    () => ["upgrade", "y", "hello", "--repo", repository()],
    () => 'UPGRADE FAILED: "y" has no deployed releases',
  ],
  ["an unknown flag", () => ["upgrade", "y", "hello", "--bogus"], () => "unknown flag: --bogus"],
  ["nothing to uninstall", () => ["uninstall", "zz"], () => "uninstall: Release not loaded: zz: release: not found"],
])("it fails as helm does: %s", async (_, args, message) => {
  const { ok, log } = await helm(args());
  expect([ok, log.trimEnd().split("\n").at(-1)]).toEqual([false, `Error: ${message(repository())}`]);
});

test("objects of another owner are not adopted", async () => {
  await bench.admin.create("/api/v1/namespaces/kube-system/configmaps", { metadata: { name: "hello" } });
  const { log } = await helm(upgrade());
  expect(log).toContain(
    'Error: Unable to continue with install: ConfigMap "hello" in namespace "kube-system" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; annotation validation error: missing key "meta.helm.sh/release-name": must be set to "hello"; annotation validation error: missing key "meta.helm.sh/release-namespace": must be set to "kube-system"',
  );
});

describe("Cilium", () => {
  const TALOS = {
    ipam: { mode: "kubernetes" },
    kubeProxyReplacement: true,
    k8sServiceHost: "localhost",
    k8sServicePort: 7445,
    cgroup: { autoMount: { enabled: false }, hostRoot: "/sys/fs/cgroup" },
    operator: { replicas: 1 },
    securityContext: {
      capabilities: {
        ciliumAgent: [
          "CHOWN",
          "KILL",
          "NET_ADMIN",
          "NET_RAW",
          "IPC_LOCK",
          "SYS_ADMIN",
          "SYS_RESOURCE",
          "DAC_OVERRIDE",
          "FOWNER",
          "SETGID",
          "SETUID",
        ],
        cleanCiliumState: ["NET_ADMIN", "SYS_ADMIN", "SYS_RESOURCE"],
      },
    },
  };
  const install = (values: Loose) =>
    helm(
      [
        "upgrade",
        "--install",
        "cilium",
        "cilium",
        "--repo",
        "https://helm.cilium.io/",
        "--version",
        "1.20.1",
        "-n",
        "kube-system",
        "-f",
        "/values/values.yaml",
      ],
      JSON.stringify(values),
    );
  const agents = async () => (await bench.admin.get("/api/v1/namespaces/kube-system/pods?labelSelector=k8s-app%3Dcilium")).items;

  test("with the values that Talos needs, the nodes become ready and CoreDNS runs", async () => {
    expect((await install(TALOS)).ok).toBe(true);
    await bench.until(async () => {
      const { items } = await bench.admin.get("/api/v1/nodes");
      return items.every((node: Loose) =>
        node.status.conditions.some((it: Loose) => it.type === "Ready" && it.status === "True"),
      );
    }, "nodes ready");
    await bench.until(
      async () => (await bench.admin.get("/apis/apps/v1/namespaces/kube-system/deployments/coredns")).status.readyReplicas === 2,
    );
    const { data } = await bench.admin.get("/api/v1/namespaces/kube-system/configmaps/cilium-config");
    expect(data).toMatchObject({ ipam: "kubernetes", "kube-proxy-replacement": "true", "cgroup-root": "/sys/fs/cgroup" });
  });

  test("without KubePrism and kube-proxy, the agent cannot reach the API and crashes", async () => {
    const { k8sServiceHost: _, k8sServicePort: __, ...values } = TALOS;
    await install(values);
    const pod = await bench.until(async () =>
      (await agents()).find((it: Loose) => (it.status.containerStatuses?.[0]?.restartCount ?? 0) > 0),
    );
    const log = await bench.admin.call("GET", `/api/v1/namespaces/kube-system/pods/${pod.metadata.name}/log?previous=true`);
    expect(log.text).toContain("Unable to contact k8s api-server ipAddr=https://10.96.0.1:443");
  });

  test("with the chart's default capabilities, Talos does not start it", async () => {
    const { securityContext: _, ...values } = TALOS;
    await install(values);
    await bench.until(async () =>
      (await agents()).some((it: Loose) =>
        it.status.initContainerStatuses?.some((init: Loose) => init.lastState.terminated?.reason === "StartError"),
      ),
    );
  });
});
