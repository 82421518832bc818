import type { Role } from "../../config/config.ts";
import { authorityPair, base64 } from "./authority-pair.ts";
import { type ClusterInput, endpointUrl } from "./cluster-input.ts";
import type { JsonObject } from "./document.ts";

/** `cluster` of a base config: workers know only how to join. */
export function clusterSection(input: ClusterInput, role: Role): JsonObject {
  const { cluster, secrets, certs } = input.secrets;
  const shared = {
    id: cluster.id,
    secret: cluster.secret.reveal(),
    controlPlane: { endpoint: endpointUrl(input.endpoint) },
    clusterName: input.name,
    network: clusterNetwork(input),
    token: secrets.bootstrapToken.reveal(),
  };
  if (role === "worker") return { ...shared, ca: authorityPair(certs.k8s, role), discovery: DISCOVERY };
  return {
    ...shared,
    [`${secrets.encryption.kind}EncryptionSecret`]: secrets.encryption.value.reveal(),
    ca: authorityPair(certs.k8s, role),
    aggregatorCA: authorityPair(certs.k8sAggregator, role),
    serviceAccount: { key: base64(certs.k8sServiceAccount.key.reveal()) },
    apiServer: { image: kubernetesImage("kube-apiserver", input), admissionControl: [POD_SECURITY], auditPolicy: AUDIT_POLICY },
    controllerManager: { image: kubernetesImage("kube-controller-manager", input) },
    proxy: {
      // Cilium replaces it.
      ...(input.cni === "cilium" && { disabled: true }),
      image: kubernetesImage("kube-proxy", input),
    },
    scheduler: { image: kubernetesImage("kube-scheduler", input) },
    discovery: DISCOVERY,
    etcd: { ca: authorityPair(certs.etcd, role) },
    extraManifests: [],
    inlineManifests: [],
    ...(input.scheduleOnControlPlanes && { allowSchedulingOnControlPlanes: true }),
  };
}

/** Nothing said about the CNI is flannel, installed by Talos. */
function clusterNetwork({ cni }: ClusterInput): JsonObject {
  return {
    ...(cni !== "flannel" && { cni: { name: "none" } }),
    dnsDomain: "cluster.local",
    podSubnets: ["10.244.0.0/16"],
    serviceSubnets: ["10.96.0.0/12"],
  };
}

function kubernetesImage(name: string, { kubernetes }: ClusterInput): string {
  return `registry.k8s.io/${name}:${kubernetes}`;
}

const DISCOVERY: JsonObject = { enabled: true, registries: { kubernetes: { disabled: true }, service: {} } };

// The keys of these two are sorted, as Talos prints what it does not look into.
const POD_SECURITY: JsonObject = {
  name: "PodSecurity",
  configuration: {
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
  },
};

const AUDIT_POLICY: JsonObject = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] };
