import type { Json } from "@talosmith/lib/json.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Job, Pod } from "../objects.ts";
import { helmCommand, installerFor, installerName } from "./installer.ts";
import { belongingTo, installerState } from "./installer-state.ts";
import type { HelmRelease } from "./release.ts";

const cilium: HelmRelease = {
  name: "cilium",
  namespace: "kube-system",
  chart: "cilium",
  repository: "oci://quay.io/cilium/charts",
  version: "1.20.1",
  values: { hubble: { enabled: true } },
  labels: { "talosmith.dev/environment": "homelab-1a2b3c4d", "talosmith.dev/addon": "cilium" },
  helmImage: "docker.io/alpine/helm:3.18.6",
};

describe("the Job's name", () => {
  test("is the same for the same wish, in whatever order its values are written", () => {
    const a = installerName({ ...cilium, values: { a: 1, b: { c: 2, d: 3 } } });
    expect(installerName({ ...cilium, values: { b: { d: 3, c: 2 }, a: 1 } })).toBe(a);
  });

  test.each<Partial<HelmRelease>>([
    { namespace: "other" },
    { chart: "other" },
    { version: "1.20.2" },
    { repository: "oci://elsewhere" },
    { helmImage: "other" },
    { values: {} },
  ])("is another one for %j", (other) => {
    expect(installerName({ ...cilium, ...other })).not.toBe(installerName(cilium));
  });

  test("is a name and a label value to Kubernetes for every name Helm allows, at most 63 characters", () => {
    // Helm: at most 53 characters, DNS-1123 subdomain.
    const word = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,51}[a-z0-9])?$/).filter((name) => !/[.-]{2}/.test(name));
    fc.assert(
      fc.property(word, (name) => {
        const made = installerName({ ...cilium, name });
        expect(made.length).toBeLessThanOrEqual(63);
        expect(made).toMatch(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
      }),
    );
  });
});

describe("the Job", () => {
  const { job, binding, account, values } = installerFor(cilium);
  const pod = job.spec.template.spec as Record<string, Json>;
  const [container] = pod.containers as Record<string, Json>[];

  test("runs in kube-system whatever the release's namespace: PodSecurity allows the host's network only there", () => {
    const elsewhere = installerFor({ ...cilium, namespace: "monitoring" });
    for (const { metadata } of [elsewhere.job, elsewhere.account, elsewhere.values])
      expect(metadata.namespace).toBe("kube-system");
    expect(helmCommand({ ...cilium, namespace: "monitoring" })).toContain("monitoring");
  });

  test("works before there is a CNI: host network and DNS, KubePrism, any taint", () => {
    expect(pod).toMatchObject({ hostNetwork: true, dnsPolicy: "Default", tolerations: [{ operator: "Exists" }] });
    expect(container?.env).toEqual(
      expect.arrayContaining([
        { name: "KUBERNETES_SERVICE_HOST", value: "localhost" },
        { name: "KUBERNETES_SERVICE_PORT", value: "7445" },
      ]),
    );
  });

  test("runs on a control plane", () => {
    expect(JSON.stringify(pod.affinity)).toContain('{"key":"node-role.kubernetes.io/control-plane","operator":"Exists"}');
  });

  test("takes its values from a secret's file, and none of them is in its command", () => {
    const secret = installerFor({ ...cilium, values: { password: "hunter2!" } });
    expect(JSON.stringify(secret.job)).not.toContain("hunter2!");
    expect(JSON.parse(Buffer.from(secret.values.data?.["values.yaml"] ?? "", "base64").toString())).toEqual({
      password: "hunter2!",
    });
    expect(values.metadata.name).toBe(job.metadata.name);
  });

  test("has all rights through its own account alone", () => {
    expect(pod.serviceAccountName).toBe(account.metadata.name);
    expect(binding.subjects).toEqual([{ kind: "ServiceAccount", name: account.metadata.name, namespace: "kube-system" }]);
    expect(binding.roleRef.name).toBe("cluster-admin");
  });

  test("all of it says whose it is", () => {
    for (const { metadata } of [job, binding, account, values]) {
      expect(metadata.labels).toMatchObject({
        "app.kubernetes.io/managed-by": "talosmith",
        "talosmith.dev/release": "cilium",
      });
    }
  });

  test("a chart of an OCI registry is one address, of a repository a name and where it is", () => {
    expect(helmCommand(cilium).slice(0, 5)).toEqual([
      "helm",
      "upgrade",
      "--install",
      "cilium",
      "oci://quay.io/cilium/charts/cilium",
    ]);
    expect(helmCommand({ ...cilium, repository: "https://helm.cilium.io" }).slice(4, 7)).toEqual([
      "cilium",
      "--repo",
      "https://helm.cilium.io",
    ]);
  });
});

describe("how it is getting on", () => {
  const { job } = installerFor(cilium);
  const pod = (status: Pod["status"], creationTimestamp = "2026-01-01T00:00:00Z"): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", creationTimestamp },
    ...(status && { status }),
  });
  const ended = (type: string): Job => ({
    ...job,
    status: { conditions: [{ type, status: "True", reason: "BackoffLimitExceeded", message: "too often" }] },
  });
  const waiting = (reason: string, message?: string): Pod["status"] => ({
    phase: "Pending",
    containerStatuses: [{ name: "helm", state: { waiting: { reason, ...(message && { message }) } } }],
  });

  test.each<[string, Job, Pod[], unknown]>([
    ["done", ended("Complete"), [], { is: "done" }],
    ["failed", ended("Failed"), [], { is: "failed", why: "BackoffLimitExceeded: too often" }],
    ["not begun", job, [], { is: "active", words: "waiting for its pod to be created", stuck: false }],
    ["starting", job, [pod(waiting("ContainerCreating"))], { is: "active", words: "Pending, ContainerCreating", stuck: false }],
    ["running", job, [pod({ phase: "Running" })], { is: "active", words: "Running", stuck: false }],
    [
      "without its image",
      job,
      [pod(waiting("ImagePullBackOff", "Back-off pulling image"))],
      { is: "active", words: "ImagePullBackOff: Back-off pulling image", stuck: true },
    ],
    [
      "without a node",
      job,
      [
        pod({
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1" }],
        }),
      ],
      { is: "active", words: "Unschedulable: 0/1", stuck: true },
    ],
    [
      "tried again",
      job,
      [pod({ phase: "Running" }, "2026-01-01T00:01:00Z"), pod({ phase: "Failed" })],
      { is: "active", words: "Running", stuck: false },
    ],
  ])("%s", (_, of, pods, expected) => {
    expect(installerState(of, pods)).toEqual(expected);
  });

  test("a release of the same name in another namespace has Jobs of its own", () => {
    expect(belongingTo({ name: "cilium", namespace: "other" }, [job])).toEqual([]);
    expect(belongingTo(cilium, [job])).toEqual([job]);
  });
});
