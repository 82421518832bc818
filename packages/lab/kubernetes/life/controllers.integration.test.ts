import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Loose } from "../objects.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
  bench.change((nodes) => nodes.map((node) => ({ ...node, kubelet: { ...node.kubelet, rotatesServerCertificate: true } })));
});
afterAll(() => bench.close());

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const conditionOf = ({ status }: Loose, type: string) => (status?.conditions ?? []).find((it: Loose) => it.type === type);

describe("a kubelet that rotates its serving certificate", () => {
  const requests = async () => (await bench.admin.get("/apis/certificates.k8s.io/v1/certificatesigningrequests")).items;

  test("requests it, and waits for approval", async () => {
    const [first] = await bench.until(async () => {
      const found = await requests();
      return found.length === 2 && found;
    });
    expect(first.spec).toMatchObject({
      signerName: "kubernetes.io/kubelet-serving",
      usages: ["digital signature", "server auth"],
    });
    expect(Buffer.from(first.spec.request, "base64").toString()).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----/);
    expect(first.status?.certificate).toBeUndefined();
    const approval = `/apis/certificates.k8s.io/v1/certificatesigningrequests/${first.metadata.name}/approval`;
    const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "" }];
    const stranger = await bench.user("mallory", ["system:masters-not"]);
    expect((await stranger.call("PUT", approval, { ...first, status: { conditions } })).status).toBe(403);
    expect((await bench.admin.call("PUT", approval, { ...first, status: { conditions } })).status).toBe(200);
    const pem = await bench.until(async () => {
      const found = (await requests()).find(({ metadata }: Loose) => metadata.name === first.metadata.name);
      return found.status?.certificate as string | undefined;
    });
    const certificate = new X509Certificate(Buffer.from(pem, "base64"));
    const name = first.spec.username.replace("system:node:", "");
    expect(certificate.subject).toBe(`O=system:nodes\nCN=system:node:${name}`);
    expect(certificate.subjectAltName).toContain(`DNS:${name}`);
    expect(certificate.verify(new X509Certificate(bench.ca).publicKey)).toBe(true);
  });
});

const GREETING = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "greetings.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "greetings", kind: "Greeting" },
    versions: ["v1beta1", "v1"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: { openAPIV3Schema: { type: "object", properties: { text: { type: "string" } } } },
    })),
  },
};

test("custom objects are visible in each version of their definition, and are deleted with it", async () => {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await bench.admin.create(definitions, GREETING);
  await bench.until(async () => (await bench.admin.call("GET", "/apis/example.com/v1/greetings")).status === 200);
  const { body, headers } = await bench.admin.call("POST", "/apis/example.com/v1/greetings", {
    metadata: { name: "hi" },
    text: "x",
    other: 1,
  });
  expect(body.other).toBeUndefined();
  expect(String(headers.warning)).toContain('unknown field \\"other\\"');
  expect(await bench.admin.get("/apis/example.com/v1beta1/greetings/hi")).toMatchObject({
    apiVersion: "example.com/v1beta1",
    text: "x",
  });
  const { body: gone } = await bench.admin.call("DELETE", `${definitions}/greetings.example.com`);
  expect(gone.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
  await bench.until(async () => (await bench.admin.call("GET", `${definitions}/greetings.example.com`)).status === 404);
  expect((await bench.admin.call("GET", "/apis/example.com/v1/greetings")).status).toBe(404);
});

test("an aggregated role has the rules of the roles it selects", async () => {
  const verbs = ["get"];
  await bench.admin.create(`${RBAC}/clusterroles`, {
    metadata: { name: "greeters", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
    rules: [{ apiGroups: ["example.com"], resources: ["greetings"], verbs }],
  });
  const rules = await bench.until(async () => {
    const { rules: found } = await bench.admin.get(`${RBAC}/clusterroles/view`);
    return found.some((rule: Loose) => rule.apiGroups.includes("example.com")) && found;
  });
  expect(rules.some((rule: Loose) => rule.resources.includes("pods"))).toBe(true);
});

test("a user cannot grant rights that they do not have", async () => {
  await bench.admin.create(`${RBAC}/clusterrolebindings`, {
    metadata: { name: "writer" },
    roleRef: { kind: "ClusterRole", name: "writer" },
    subjects: [{ kind: "User", name: "writer" }],
  });
  await bench.admin.create(`${RBAC}/clusterroles`, {
    metadata: { name: "writer" },
    rules: [
      { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"], verbs: ["create"] },
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
    ],
  });
  const writer = await bench.user("writer");
  const role = (verbs: string[]) => ({
    metadata: { name: `r-${verbs.length}` },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs }],
  });
  expect((await writer.call("POST", `${RBAC}/clusterroles`, role(["get"]))).status).toBe(201);
  const { status, body } = await writer.call("POST", `${RBAC}/clusterroles`, role(["get", "list", "watch"]));
  // Message of pkg/registry/rbac/validation/rule.go in Kubernetes 1.36.
  expect([status, body.message]).toEqual([
    403,
    'clusterroles.rbac.authorization.k8s.io "r-3" is forbidden: user "writer" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
  ]);
});

test("an aggregated API is available when its Service has a ready pod", async () => {
  const services = "/apis/apiregistration.k8s.io/v1/apiservices";
  await bench.admin.create(services, {
    metadata: { name: "v1.example.org" },
    spec: {
      group: "example.org",
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name: "web", namespace: "default" },
    },
  });
  const reason = async () => conditionOf(await bench.admin.get(`${services}/v1.example.org`), "Available")?.reason;
  await bench.until(async () => (await reason()) === "ServiceNotFound");
  await bench.admin.create("/api/v1/namespaces/default/services", {
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ name: "https", port: 443 }] },
  });
  await bench.until(async () => (await reason()) === "MissingEndpoints");
  const pod = { metadata: { name: "web", labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
  await bench.admin.create("/api/v1/namespaces/default/pods", pod);
  await bench.until(async () => (await reason()) === "Passed");
});

test("a claim waits for a pod that provisions its class", async () => {
  await bench.admin.create("/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: "local", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "example.org/nginx",
  });
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const claim = await bench.admin.create("/api/v1/namespaces/default/persistentvolumeclaims", {
    metadata: { name: "data" },
    spec,
  });
  expect(claim.spec.storageClassName).toBe("local");
  const pod = { metadata: { name: "provisioner" }, spec: { containers: [{ name: "c", image: "example.org/nginx:1" }] } };
  await bench.admin.create("/api/v1/namespaces/default/pods", pod);
  const bound = await bench.until(async () => {
    const found = await bench.admin.get("/api/v1/namespaces/default/persistentvolumeclaims/data");
    return found.status.phase === "Bound" && found;
  });
  expect(await bench.admin.get(`/api/v1/persistentvolumes/${bound.spec.volumeName}`)).toMatchObject({
    spec: { claimRef: { name: "data" }, persistentVolumeReclaimPolicy: "Delete" },
    status: { phase: "Bound" },
  });
});

test("a rollout without progress fails after its deadline", async () => {
  const template = {
    metadata: { labels: { app: "none" } },
    spec: { containers: [{ name: "c", image: "example.org/nothing:1" }] },
  };
  await bench.admin.create("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "none" },
    spec: { progressDeadlineSeconds: 30, selector: { matchLabels: { app: "none" } }, template },
  });
  const found = await bench.until(async () => {
    const progressing = conditionOf(await bench.admin.get("/apis/apps/v1/namespaces/default/deployments/none"), "Progressing");
    return progressing?.status === "False" && progressing;
  });
  expect([found.reason, found.message]).toEqual([
    "ProgressDeadlineExceeded",
    expect.stringMatching(/^ReplicaSet "none-\w+" has timed out progressing\.$/),
  ]);
});

test("a CronJob starts Jobs when they are due, and keeps the last few", async () => {
  const spec = { restartPolicy: "Never", containers: [{ name: "c", image: "busybox:1", command: ["true"] }] };
  await bench.admin.create("/apis/batch/v1/namespaces/default/cronjobs", {
    metadata: { name: "often" },
    spec: { schedule: "0 * * * *", successfulJobsHistoryLimit: 1, jobTemplate: { spec: { template: { spec } } } },
  });
  const cron = await bench.until(async () => {
    const found = await bench.admin.get("/apis/batch/v1/namespaces/default/cronjobs/often");
    return found.status?.lastSuccessfulTime !== undefined && found;
  });
  expect(cron.status.lastScheduleTime).toMatch(/:00:00Z$/);
  await bench.admin.call("DELETE", "/apis/batch/v1/namespaces/default/cronjobs/often");
});

test("a Job fails after its deadline, which is never shorter than that much real time", async () => {
  const spec = { restartPolicy: "Never", containers: [{ name: "c", image: "busybox:1", command: ["sleep", "10000000"] }] };
  await bench.admin.create("/apis/batch/v1/namespaces/default/jobs", {
    metadata: { name: "slow" },
    spec: { activeDeadlineSeconds: 1, template: { spec } },
  });
  const job = await bench.until(async () => {
    const found = await bench.admin.get("/apis/batch/v1/namespaces/default/jobs/slow");
    return conditionOf(found, "Failed") && found;
  });
  const failed = conditionOf(job, "Failed");
  expect(failed).toMatchObject({ status: "True", reason: "DeadlineExceeded" });
  const took = Date.parse(failed.lastTransitionTime) - Date.parse(job.status.startTime);
  expect(took / bench.lab.timeScale).toBeGreaterThanOrEqual(990);
});
