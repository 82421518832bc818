import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ChecksResult } from "../../src/engine/result.ts";
import type { KubernetesObject } from "../../src/kubernetes/objects.ts";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { type Insider, insiderWith } from "../support/cluster.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { said, text } from "./invariants.ts";
import { FOLDER, type Outcome, Scene } from "./scene.ts";

/* A healthy cluster with one broken part after the other: verify has a message for each. */

const { signal } = new AbortController();
const WISHES = { controlPlanes: 3, workers: 1 };
let scene: Scene;
let healthy: string;
let files: VolatileFiles;
let person: Insider;

beforeAll(async () => {
  scene = await Scene.open("verify", { cluster: true });
  files = scene.folder(WISHES);
  const up = await scene.up(files, { stages: ALL_STAGES });
  expect(up.exitCode, said(up)).toBe(0);
  healthy = scene.lab.snapshot();
  person = insiderWith(text(files, `${FOLDER}/secrets.yaml`) ?? "", `${scene.at.block}.11`);
});
afterAll(async () => {
  person.close();
  await scene.close();
});
beforeEach(() => scene.lab.restore(healthy));

function failures({ events }: Outcome): string[] {
  const results = events.flatMap((event) => (event.type === "result" ? [event.result as ChecksResult] : []));
  const findings = results.flatMap(({ checks }) => checks.flatMap((check) => check.findings));
  return findings.flatMap(({ level, code, message }) => (level === "fail" ? [`${code}: ${message}`] : []));
}

async function power(node: string, change: "stop" | "start"): Promise<void> {
  const vm = (await scene.root.vms()).find((one) => one.config.name === node);
  await scene.root.task("POST", `/nodes/${vm?.node}/qemu/${vm?.vmid}/status/${change}`, {});
}

async function verifyFails(...expected: RegExp[]): Promise<void> {
  const verified = await scene.verify(files);
  expect(verified.exitCode).toBe(1);
  for (const one of expected) expect(failures(verified).join("\n")).toMatch(one);
}

const system = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, namespace: "kube-system", name });

test("verify finds no problem in a healthy cluster, and leaves no test objects behind", async () => {
  const verified = await scene.verify(files);
  expect([verified.exitCode, failures(verified)]).toEqual([0, []]);
  const namespaces = await person.kubernetes.list<KubernetesObject>({ apiVersion: "v1", kind: "Namespace" }, signal);
  expect(namespaces.map(({ metadata }) => metadata.name)).not.toContain("talosmith-smoke");
});

test("verify reports a dead member of etcd", async () => {
  await power("cp-2", "stop");
  await verifyFails(/^ETCD: cp-2: unable to query etcd: /m);
});

test("verify reports a missing node", async () => {
  await power("worker-1", "stop");
  await person.kubernetes.delete({ apiVersion: "v1", kind: "Node", name: "worker-1" }, {}, signal);
  await verifyFails(/^NODE: worker-1: has not joined/m);
});

test("verify reports a wrong version", async () => {
  const config = text(files, `${FOLDER}/config.yaml`) ?? "";
  const other = files.afterKill();
  other.write(`${FOLDER}/config.yaml`, Buffer.from(config.replace(/talos: v[\d.]+/, "$&, kubernetes: v1.36.1")), 0o644);
  const verified = await scene.verify(other);
  expect([verified.exitCode, failures(verified).join("\n")]).toEqual([
    1,
    expect.stringMatching(/^UPGRADE_NEEDED: the cluster runs Kubernetes v1\.36\.3, the config says Kubernetes v1\.36\.1; .*$/),
  ]);
});

test("verify reports that CoreDNS is down", async () => {
  const broken = {
    spec: { template: { spec: { containers: [{ name: "coredns", image: "registry.k8s.io/no-such/image:v1" }] } } },
  };
  await person.kubernetes.merge(system("apps/v1", "Deployment", "coredns"), broken, signal);
  const pods = { apiVersion: "v1", kind: "Pod", namespace: "kube-system", labelSelector: "k8s-app=kube-dns" };
  for (const { metadata } of await person.kubernetes.list<KubernetesObject>(pods, signal))
    await person.kubernetes.delete(system("v1", "Pod", metadata.name), {}, signal);
  await verifyFails(/^COREDNS: coredns: has 0 of \d pods ready/m);
});

test("verify reports a pod that cannot reach the API", async () => {
  await person.kubernetes.delete(system("apps/v1", "DaemonSet", "kube-proxy"), { propagation: "Foreground" }, signal);
  await verifyFails(/^POD_API: worker-1: a pod cannot reach the Kubernetes API/m);
});
