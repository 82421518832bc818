import { describe, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { Condition } from "../../engine/step.ts";
import { waitUntil } from "../../engine/until.ts";
import { helmRecord } from "../../steps/addons/testing/helm-records.ts";
import { MemoryCluster } from "../../steps/addons/testing/memory-cluster.ts";
import type { KubernetesObject } from "../objects.ts";
import { releaseContents } from "./release-contents.ts";
import { releaseUp } from "./release-up.ts";

const RELEASE = { name: "web", namespace: "front" };
const { signal } = new AbortController();

/** A release whose record holds these objects, and the cluster it is in. */
function clusterWith(...objects: KubernetesObject[]): MemoryCluster {
  const kube = new MemoryCluster();
  const manifest = objects.map((one) => `---\n# Source: x\n${JSON.stringify(one)}\n`).join("");
  kube.put(helmRecord({ ...RELEASE, revision: 1, status: "deployed", chart: "web", version: "1.0.0", config: {}, manifest }));
  return kube;
}

async function poll(condition: Condition): Promise<true | { reason: string }> {
  const { world } = testSession();
  return condition.poll({ world, signal } as Parameters<Condition["poll"]>[0]);
}

const look = (kube: MemoryCluster) => poll(releaseUp(kube, RELEASE, 1000, 1000));

function object(apiVersion: string, kind: string, name: string, rest: object = {}, namespace?: string): KubernetesObject {
  return { apiVersion, kind, metadata: { name, generation: 2, ...(namespace && { namespace }) }, ...rest } as KubernetesObject;
}

const recorded = (kind: string, name = "x") => object("apps/v1", kind, name);
const live = (kind: string, rest: object, name = "x") => object("apps/v1", kind, name, rest, "front");

describe("a workload of a release is up", () => {
  const whole = { observedGeneration: 2, desiredNumberScheduled: 2, numberReady: 2, updatedNumberScheduled: 2 };
  const reason = (words: string) => ({ reason: `DaemonSet front/x has ${words}` });

  test.each([
    ["on every node", whole, true],
    ["not while one is not ready", { ...whole, numberReady: 1 }, reason("1 of 2 pods ready")],
    ["not while one is of the old kind", { ...whole, updatedNumberScheduled: 1 }, reason("1 of 2 pods ready")],
    ["not before its controller has seen the new wish", { ...whole, observedGeneration: 1 }, reason("2 of 2 pods ready")],
    ["where no node wants it", { observedGeneration: 2 }, true],
  ])("a DaemonSet %s", async (_, status, expected) => {
    const kube = clusterWith(recorded("DaemonSet"));
    kube.put(live("DaemonSet", { status }));
    expect(await look(kube)).toEqual(expected);
  });

  test.each([
    ["with all its replicas", { replicas: 1, readyReplicas: 1, updatedReplicas: 1 }, true],
    [
      "not while old ones remain",
      { replicas: 2, readyReplicas: 1, updatedReplicas: 1 },
      { reason: "Deployment front/x has 1 of 1 pods ready" },
    ],
    ["not while none is ready", { replicas: 1, updatedReplicas: 1 }, { reason: "Deployment front/x has 0 of 1 pods ready" }],
  ])("a Deployment %s", async (_, status, expected) => {
    const kube = clusterWith(recorded("Deployment"));
    kube.put(live("Deployment", { spec: { replicas: 1 }, status: { observedGeneration: 2, ...status } }));
    expect(await look(kube)).toEqual(expected);
  });

  test.each([
    ["of the newest revision", { readyReplicas: 2, currentRevision: "b", updateRevision: "b" }, true],
    [
      "not half-way",
      { readyReplicas: 2, updatedReplicas: 1, currentRevision: "a", updateRevision: "b" },
      { reason: "StatefulSet front/x has 1 of 2 pods ready" },
    ],
  ])("a StatefulSet %s", async (_, status, expected) => {
    const kube = clusterWith(recorded("StatefulSet"));
    kube.put(live("StatefulSet", { spec: { replicas: 2 }, status: { observedGeneration: 2, ...status } }));
    expect(await look(kube)).toEqual(expected);
  });

  test("one that is recorded and not there is missed, and how many more there are is said", async () => {
    expect(await look(clusterWith(recorded("Deployment"), recorded("DaemonSet")))).toEqual({
      reason: "Deployment front/x does not exist (and 1 more)",
    });
  });

  test("without a record there is nothing to be up", async () => {
    expect(await look(new MemoryCluster())).toEqual({ reason: "Helm has no record of web" });
  });
});

describe("what keeps it", () => {
  function starting(kube: MemoryCluster, reason: string, message: string): void {
    kube.put(
      live("DaemonSet", {
        spec: { selector: { matchLabels: { app: "x" } } },
        status: { observedGeneration: 2, desiredNumberScheduled: 1 },
      }),
    );
    const status = { phase: "Pending", containerStatuses: [{ name: "a", state: { waiting: { reason, message } } }] };
    const metadata = { name: "x-1", namespace: "front", labels: { app: "x" } };
    kube.put({ apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "worker-1" }, status } as KubernetesObject);
  }

  test("is described by the first stuck pod, with its node", async () => {
    const kube = clusterWith(recorded("DaemonSet"));
    starting(kube, "CrashLoopBackOff", "back-off 5m0s restarting failed container");
    expect(await look(kube)).toEqual({
      reason: "DaemonSet front/x has 0 of 1 pods ready, worker-1: CrashLoopBackOff: back-off 5m0s restarting failed container",
    });
  });

  /** Ends at once, or with its time-out. */
  async function endOf(kube: MemoryCluster) {
    const { world } = testSession({ timeScale: 1000 });
    const c = { world, signal } as Parameters<Condition["poll"]>[0];
    return waitUntil(releaseUp(kube, RELEASE, 60_000, 1_000), c, () => {}).catch((error: unknown) => error);
  }

  test("an image that does not exist is not waited for", async () => {
    const kube = clusterWith(recorded("DaemonSet"));
    starting(
      kube,
      "ImagePullBackOff",
      'Back-off pulling image "quay.io/x/y:1": ErrImagePull: failed to resolve reference: not found',
    );
    expect(await endOf(kube)).toMatchObject({
      code: "ADDON_STUCK",
      message: "Unable to start web: DaemonSet front/x cannot start",
      hint: "check that quay.io/x/y:1 is the right name, and that the nodes can pull it (registries, logins)",
    });
  });

  test("a registry that does not answer is", async () => {
    const kube = clusterWith(recorded("DaemonSet"));
    starting(kube, "ImagePullBackOff", "dial tcp: i/o timeout");
    expect(await endOf(kube)).toMatchObject({ code: "TIMEOUT", detail: expect.stringContaining("dial tcp: i/o timeout") });
  });

  test("pods that PodSecurity refuses are not waited for, and the hint has the label", async () => {
    const kube = clusterWith(recorded("DaemonSet"));
    kube.put(live("DaemonSet", { status: { observedGeneration: 2, desiredNumberScheduled: 1 } }));
    const message = 'Error creating: pods "x-1" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes';
    const involvedObject = { kind: "DaemonSet", name: "x" };
    kube.put({ ...object("v1", "Event", "e", {}, "front"), reason: "FailedCreate", message, involvedObject } as KubernetesObject);
    expect(await endOf(kube)).toMatchObject({
      detail: expect.stringContaining("violates PodSecurity"),
      hint: expect.stringContaining("pod-security.kubernetes.io/enforce: privileged"),
    });
  });

  test("a Job that failed is not waited for", async () => {
    const kube = clusterWith(object("batch/v1", "Job", "setup"));
    const conditions = [{ type: "Failed", status: "True", message: "Job has reached the specified backoff limit" }];
    kube.put(object("batch/v1", "Job", "setup", { status: { conditions } }, "front"));
    expect(await endOf(kube)).toMatchObject({ code: "ADDON_STUCK", hint: expect.stringContaining("logs job/setup") });
  });
});

describe("the rest of a release is up", () => {
  const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status, message: "not yet" }] } });

  test.each([
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition", "Established"],
    ["apiregistration.k8s.io/v1", "APIService", "Available"],
  ])("%s %s when it is %s", async (apiVersion, kind, type) => {
    const kube = clusterWith(object(apiVersion, kind, "x"));
    kube.put(object(apiVersion, kind, "x", condition(type, "False")));
    expect(await look(kube)).toEqual({ reason: `${kind} x is not ${type}: not yet` });
    kube.put(object(apiVersion, kind, "x", condition(type, "True")));
    expect(await look(kube)).toBe(true);
  });

  test("a webhook when it has a ready pod", async () => {
    const webhooks = [{ name: "a", clientConfig: { service: { namespace: "front", name: "hook" } } }];
    const kube = clusterWith(object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "x", { webhooks }));
    const slice = (ready: boolean) => {
      const endpoints = [{ addresses: ["10.0.0.1"], conditions: { ready } }];
      const metadata = { name: "hook-1", namespace: "front", labels: { "kubernetes.io/service-name": "hook" } };
      kube.put({ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata, endpoints } as KubernetesObject);
    };
    slice(false);
    expect(await look(kube)).toEqual({
      reason: "ValidatingWebhookConfiguration x calls Service front/hook, which has no ready pod",
    });
    slice(true);
    expect(await look(kube)).toBe(true);
  });

  test("a Job that has ended, also when it was tidied away since", async () => {
    const kube = clusterWith(object("batch/v1", "Job", "setup"));
    expect(await look(kube)).toBe(true);
    kube.put(object("batch/v1", "Job", "setup", { status: { active: 1 } }, "front"));
    expect(await look(kube)).toEqual({ reason: "Job front/setup has not ended" });
  });

  test("definitions of the chart's crds folder count, and templates' other objects do not", () => {
    const crd = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "things.example.org");
    const files = [
      { name: "crds/things.yaml", data: Buffer.from(JSON.stringify(crd)).toString("base64") },
      { name: "README.md", data: Buffer.from("# hello").toString("base64") },
    ];
    const record = helmRecord({ ...RELEASE, revision: 1, status: "deployed", chart: "web", version: "1", config: {}, files });
    expect(releaseContents(record).objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "CustomResourceDefinition things.example.org",
    ]);
  });
});
