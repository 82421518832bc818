import { expect, test } from "vitest";
import { metricsServer } from "./metrics-server.ts";
import { nvidia } from "./nvidia.ts";
import { proxmoxCcm } from "./proxmox-ccm.ts";
import { talosCcm } from "./talos-ccm.ts";
import { FACTS, objectsIn, releaseIn, TOKEN } from "./testing/sample.ts";

// docs/facts/talos.md#nvidia
test("from Talos 1.13 on a GPU is NVIDIA's operator's, which leaves driver and toolkit to Talos", () => {
  expect(releaseIn(nvidia.make({}, FACTS))).toMatchObject({
    chart: "gpu-operator",
    repository: "https://helm.ngc.nvidia.com/nvidia",
    namespaceLabels: { "pod-security.kubernetes.io/enforce": "privileged" },
    values: { driver: { enabled: false }, toolkit: { enabled: false }, hostPaths: { driverInstallDir: "/usr/local" } },
  });
});

// docs/facts/talos.md#nvidia
test("before, it is the device plugin's, and pods name a runtime", () => {
  const addon = nvidia.make({}, { ...FACTS, talos: "v1.12.11" });
  expect(addon.parts.map(({ kind }) => kind)).toEqual(["objects", "release"]);
  expect(objectsIn(addon, "runtime-class")).toEqual([
    { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "nvidia" }, handler: "nvidia" },
  ]);
  expect(releaseIn(addon)).toMatchObject({
    chart: "nvidia-device-plugin",
    repository: "https://nvidia.github.io/k8s-device-plugin",
    values: { runtimeClassName: "nvidia" },
  });
});

// Talos's guide to metrics-server; deploy/standalone-install.yaml of the approver at v0.11.0.
test("kubelets request certificates, and an approver is installed", () => {
  const addon = metricsServer.make({}, FACTS);
  expect(addon.machines).toEqual({ kubeletCertificates: true });
  expect(addon.parts.map(({ name }) => name)).toEqual(["certificate-approver", "metrics-server"]);
  expect(JSON.stringify(releaseIn(addon).values)).not.toContain("insecure");
  const objects = objectsIn(addon, "certificate-approver");
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "Namespace kubelet-serving-cert-approver",
    "ServiceAccount kubelet-serving-cert-approver",
    "ClusterRole certificates:kubelet-serving-cert-approver",
    "ClusterRole events:kubelet-serving-cert-approver",
    "ClusterRoleBinding kubelet-serving-cert-approver",
    "RoleBinding events:kubelet-serving-cert-approver",
    "Deployment kubelet-serving-cert-approver",
  ]);
});

// README of each chart.
test("a cloud controller wants nodes to wait for it, Talos's one its API besides", () => {
  expect(proxmoxCcm.make({ token: TOKEN }, FACTS).machines).toEqual({ externalCloudProvider: true });
  expect(talosCcm.make({}, FACTS).machines).toEqual({
    externalCloudProvider: true,
    talosApiAccess: { roles: ["os:reader"], namespaces: ["kube-system"] },
  });
});
