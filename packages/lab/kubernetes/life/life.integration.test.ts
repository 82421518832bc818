import { afterEach, beforeEach, expect, test } from "vitest";
import type { Loose } from "../objects.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({ workers: 2 });
});
afterEach(() => bench.close());

const container = (image: string, ...command: string[]) => ({ name: "c", image, ...(command.length > 0 && { command }) });
const job = (name: string, spec: Loose, more: Loose = {}) => ({
  metadata: { name },
  spec: { ...more, template: { spec: { restartPolicy: "Never", ...spec } } },
});
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";

async function condition(path: string, type: string): Promise<Loose> {
  return bench.until(async () => {
    const object = await bench.admin.get(path);
    return object.status?.conditions?.some((it: Loose) => it.type === type && it.status === "True") && object;
  }, `${type} of ${path}`);
}

const podsOf = async (name: string) =>
  (await bench.admin.get(`${PODS}?labelSelector=batch.kubernetes.io/job-name%3D${name}`)).items;

test("a Job runs its pod to completion, and its log stays readable", async () => {
  await bench.admin.create(
    JOBS,
    job("hello", { containers: [container("busybox:1.36", "sh", "-c", "echo one; sleep 5; echo two")] }),
  );
  const done = await condition(`${JOBS}/hello`, "Complete");
  expect(done.status).toMatchObject({ succeeded: 1, completionTime: expect.any(String) });
  const [pod] = await podsOf("hello");
  expect(pod.status).toMatchObject({ phase: "Succeeded" });
  const log = await bench.admin.call("GET", `${PODS}/${pod.metadata.name}/log`);
  expect(log.text).toBe("one\ntwo\n");
  expect((await bench.admin.call("GET", `${PODS}/${pod.metadata.name}/log?tailLines=1`)).text).toBe("two\n");
});

test("a failing Job is retried backoffLimit times", async () => {
  await bench.admin.create(JOBS, job("sad", { containers: [container("busybox", "false")] }, { backoffLimit: 1 }));
  const failed = await condition(`${JOBS}/sad`, "Failed");
  expect(failed.status.conditions.find((it: Loose) => it.type === "Failed")).toMatchObject({
    reason: "BackoffLimitExceeded",
    message: "Job has reached the specified backoff limit",
  });
  expect((await podsOf("sad")).map((pod: Loose) => pod.status.phase)).toEqual(["Failed", "Failed"]);
});

test("an unknown image is ErrImagePull, then ImagePullBackOff", async () => {
  await bench.admin.create(PODS, { metadata: { name: "p" }, spec: { containers: [container("example.org/nowhere:1")] } });
  const waiting = (reason: string) =>
    bench.until(
      async () => (await bench.admin.get(`${PODS}/p`)).status.containerStatuses?.[0]?.state.waiting?.reason === reason,
      reason,
    );
  await waiting("ImagePullBackOff");
  const log = await bench.admin.call("GET", `${PODS}/p/log`);
  expect(log.body.message).toBe('container "c" in pod "p" is waiting to start: trying and failing to pull image');
});

test("a container that ends is restarted with a growing delay", async () => {
  await bench.admin.create(PODS, {
    metadata: { name: "p" },
    spec: { containers: [container("busybox", "sh", "-c", "echo up; exit 3")] },
  });
  const status = await bench.until(async () => {
    const [it] = (await bench.admin.get(`${PODS}/p`)).status.containerStatuses ?? [];
    return it?.state.waiting?.reason === "CrashLoopBackOff" && it.restartCount >= 2 && it;
  });
  expect(status.lastState.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
});

test("a reboot is not a crash: after each reboot, containers restart at once", async () => {
  await bench.admin.create(PODS, { metadata: { name: "p" }, spec: { nodeName: "worker-1", containers: [container("nginx")] } });
  for (let boots = 0; boots < 5; boots++) {
    const it = await bench.until(async () => {
      const [one] = (await bench.admin.get(`${PODS}/p`)).status.containerStatuses ?? [];
      return one?.ready && one.restartCount === boots && one;
    }, `ready after ${boots} reboots`);
    if (boots > 0) expect(it.lastState.terminated).toMatchObject({ exitCode: 255, reason: "Unknown" });
    bench.change((nodes) => nodes.map((node) => (node.name === "worker-1" ? { ...node, bootId: `boot-${boots}` } : node)));
  }
  const { items } = await bench.admin.get("/api/v1/namespaces/default/events");
  expect(items.filter(({ reason }: Loose) => reason === "BackOff")).toEqual([]);
});

test("containers have their variables, secrets and token", async () => {
  await bench.admin.create("/api/v1/namespaces/default/secrets", {
    metadata: { name: "s" },
    stringData: { "a.txt": "from a secret\n" },
  });
  const spec = {
    containers: [
      {
        name: "c",
        image: "busybox",
        command: ["sh", "-c", "echo $NODE; cat /s/a.txt; cat /var/run/secrets/kubernetes.io/serviceaccount/namespace"],
        env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
        volumeMounts: [{ name: "v", mountPath: "/s" }],
      },
    ],
    volumes: [{ name: "v", secret: { secretName: "s" } }],
  };
  await bench.admin.create(JOBS, job("sees", spec));
  await condition(`${JOBS}/sees`, "Complete");
  const [pod] = await podsOf("sees");
  const log = await bench.admin.call("GET", `${PODS}/${pod.metadata.name}/log`);
  expect(log.text).toBe(`${pod.spec.nodeName}\nfrom a secret\ndefault\n`);
});

test("a pod whose secret is missing waits, and starts once it exists", async () => {
  const volumes = [{ name: "v", secret: { secretName: "late" } }];
  const containers = [{ ...container("busybox", "cat", "/s/k"), volumeMounts: [{ name: "v", mountPath: "/s" }] }];
  await bench.admin.create(JOBS, job("waits", { containers, volumes }));
  await bench.until(
    async () => (await podsOf("waits"))[0]?.status.containerStatuses?.[0]?.state.waiting?.reason === "ContainerCreating",
  );
  await bench.admin.create("/api/v1/namespaces/default/secrets", { metadata: { name: "late" }, stringData: { k: "now" } });
  await condition(`${JOBS}/waits`, "Complete");
});

test("a Deployment starts its pods, and a new image replaces them one by one", async () => {
  const labels = { app: "web" };
  const path = "/apis/apps/v1/namespaces/default/deployments";
  await bench.admin.create(path, {
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container("nginx:1")] } },
    },
  });
  const settled = (revision: string) =>
    bench.until(async () => {
      const { metadata, status, spec } = await bench.admin.get(`${path}/web`);
      return (
        metadata.annotations?.["deployment.kubernetes.io/revision"] === revision &&
        status.updatedReplicas === spec.replicas &&
        status.availableReplicas === spec.replicas &&
        status.replicas === spec.replicas
      );
    }, `revision ${revision}`);
  await settled("1");
  const patch = { spec: { template: { spec: { containers: [{ name: "c", image: "nginx:2" }] } } } };
  expect((await bench.admin.patch(`${path}/web`, "application/strategic-merge-patch+json", patch)).status).toBe(200);
  await settled("2");
  const { items } = await bench.admin.get(`${PODS}?labelSelector=app%3Dweb`);
  const living = items.filter((pod: Loose) => pod.metadata.deletionTimestamp === undefined);
  expect(living.map((pod: Loose) => pod.spec.containers[0].image)).toEqual(["nginx:2", "nginx:2", "nginx:2"]);
});

test("the objects of a Deployment are deleted with it", async () => {
  const labels = { app: "web" };
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container("nginx")] } },
  };
  await bench.admin.create(path, { metadata: { name: "web" }, spec });
  await bench.until(async () => (await bench.admin.get(`${PODS}?labelSelector=app%3Dweb`)).items.length === 1);
  await bench.admin.call("DELETE", `${path}/web`);
  await bench.until(async () => (await bench.admin.get(`${PODS}?labelSelector=app%3Dweb`)).items.length === 0);
  expect((await bench.admin.get("/apis/apps/v1/namespaces/default/replicasets")).items).toEqual([]);
});

test("the objects in a namespace are deleted before it", async () => {
  await bench.admin.create("/api/v1/namespaces", { metadata: { name: "team" } });
  await bench.until(
    async () => (await bench.admin.call("GET", "/api/v1/namespaces/team/serviceaccounts/default")).status === 200,
  );
  await bench.admin.create("/api/v1/namespaces/team/pods", {
    metadata: { name: "p" },
    spec: { containers: [container("nginx")] },
  });
  const answer = await bench.admin.call("DELETE", "/api/v1/namespaces/team");
  expect(answer.body.status.phase).toBe("Terminating");
  await bench.until(async () => (await bench.admin.call("GET", "/api/v1/namespaces/team")).status === 404);
});

test("the pods of a drained node run on other nodes", async () => {
  const labels = { app: "web" };
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container("nginx")] } },
  };
  await bench.admin.create("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "web" }, spec });
  const list = async () => (await bench.admin.get(`${PODS}?labelSelector=app%3Dweb`)).items;
  await bench.until(async () => (await list()).filter((pod: Loose) => pod.status.phase === "Running").length === 2);
  await bench.admin.patch("/api/v1/nodes/worker-1", "application/merge-patch+json", { spec: { unschedulable: true } });
  for (const pod of await list()) {
    if (pod.spec.nodeName !== "worker-1") continue;
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod.metadata.name } };
    expect((await bench.admin.call("POST", `${PODS}/${pod.metadata.name}/eviction`, eviction)).status).toBe(201);
  }
  await bench.until(async () => {
    const pods = await list();
    return pods.length === 2 && pods.every((pod: Loose) => pod.spec.nodeName === "worker-2" && pod.status.phase === "Running");
  });
});

test("a disruption budget protects the last pods from eviction", async () => {
  const labels = { app: "web" };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container("nginx")] } },
  };
  await bench.admin.create("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "web" }, spec });
  const budget = { metadata: { name: "web" }, spec: { minAvailable: 1, selector: { matchLabels: labels } } };
  await bench.admin.create("/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget);
  const pod = await bench.until(async () => {
    const [it] = (await bench.admin.get(`${PODS}?labelSelector=app%3Dweb`)).items;
    return it?.status.conditions?.some((condition: Loose) => condition.type === "Ready" && condition.status === "True") && it;
  });
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod.metadata.name } };
  const answer = await bench.admin.call("POST", `${PODS}/${pod.metadata.name}/eviction`, eviction);
  expect([answer.status, answer.body.message]).toEqual([
    429,
    "Cannot evict pod as it would violate the pod's disruption budget.",
  ]);
});

test("two pods with the same host port need two nodes", async () => {
  const labels = { app: "port" };
  await bench.admin.create("/api/v1/namespaces", {
    metadata: { name: "open", labels: { "pod-security.kubernetes.io/enforce": "privileged" } },
  });
  await bench.until(
    async () => (await bench.admin.call("GET", "/api/v1/namespaces/open/serviceaccounts/default")).status === 200,
  );
  const spec = {
    replicas: 3,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ ...container("nginx"), ports: [{ containerPort: 80, hostPort: 80 }] }] },
    },
  };
  await bench.admin.create("/apis/apps/v1/namespaces/open/deployments", { metadata: { name: "port" }, spec });
  const pending = await bench.until(async () => {
    const { items } = await bench.admin.get("/api/v1/namespaces/open/pods?fieldSelector=status.phase%3DPending");
    const stuck = items.filter((pod: Loose) => pod.status.conditions?.some((it: Loose) => it.reason === "Unschedulable"));
    return stuck.length === 1 && items.length === 1 && stuck[0];
  });
  expect(pending.status.conditions[0].message).toContain("2 node(s) didn't have free ports for the requested pod ports");
});

test("a container that requests the capability to load kernel modules is not started, as Talos forbids it", async () => {
  const spec = { containers: [{ ...container("nginx"), securityContext: { capabilities: { add: ["SYS_MODULE"] } } }] };
  await bench.admin.create("/api/v1/namespaces/kube-system/pods", { metadata: { name: "p" }, spec });
  await bench.until(async () => {
    const [it] = (await bench.admin.get("/api/v1/namespaces/kube-system/pods/p")).status.containerStatuses ?? [];
    return it?.lastState.terminated?.reason === "StartError";
  });
});

test("a followed log continues until the container ends", async () => {
  await bench.close();
  bench = await Bench.open({ timeScale: 50 });
  await bench.admin.create(JOBS, job("talks", { containers: [container("busybox", "sh", "-c", "echo a; sleep 20; echo b")] }));
  const pod = await bench.until(async () => {
    const [it] = await podsOf("talks");
    return it?.status.containerStatuses?.[0]?.state.running && it;
  });
  const stream = await bench.admin.stream(`${PODS}/${pod.metadata.name}/log?follow=true`);
  await stream.ended;
  expect(stream.lines).toEqual(["a", "b"]);
});
