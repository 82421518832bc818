import type { ClusterInput } from "../cluster-input.ts";
import type { JsonObject } from "../document.ts";

/** talosctl's Kubernetes settings that are equal in all contracts; only their place differs. */

export function kubeletImage({ kubernetes }: ClusterInput): string {
  return `ghcr.io/siderolabs/kubelet:${kubernetes}`;
}

export function kubernetesImage(name: string, { kubernetes }: ClusterInput): string {
  return `registry.k8s.io/${name}:${kubernetes}`;
}

export const KUBE_PRISM_PORT = 7445;

/** Host DNS serves pods too. */
export const HOST_DNS: JsonObject = { enabled: true, forwardKubeDNSToHost: true };

/** Excludes control planes from the back ends of load balancers by default. */
export const CONTROL_PLANE_LABELS: JsonObject = { "node.kubernetes.io/exclude-from-external-load-balancers": "" };

// The keys below are sorted, as Talos prints maps that it does not interpret.

export const POD_SECURITY: JsonObject = {
  apiVersion: "pod-security.admission.config.k8s.io/v1alpha1",
  defaults: {
    audit: "restricted",
    "audit-version": "latest",
    enforce: "baseline",
    "enforce-version": "latest",
    warn: "restricted",
    "warn-version": "latest",
  },
  exemptions: { namespaces: ["kube-system"], runtimeClasses: [], usernames: [] },
  kind: "PodSecurityConfiguration",
};

export const AUDIT_POLICY: JsonObject = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] };

/** Anonymous requests may only check the API server's health. */
export const AUTHENTICATION: JsonObject = {
  anonymous: { conditions: [{ path: "/livez" }, { path: "/readyz" }, { path: "/healthz" }], enabled: true },
  jwt: [],
};
