import { type ClusterInput, endpointUrl } from "../cluster-input.ts";
import type { ConfigDocument, JsonObject } from "../document.ts";
import { issuingAuthority } from "./authority-pair.ts";
import { documentOf } from "./document-of.ts";
import { AUDIT_POLICY, AUTHENTICATION, kubernetesImage, POD_SECURITY } from "./kubernetes-defaults.ts";

/** Documents of contract v1.14 for control planes only. */
export function controlPlaneDocuments(input: ClusterInput): ConfigDocument[] {
  const { certs } = input.secrets;
  return [
    documentOf("KubeAggregatorCAConfig", { issuingCA: issuingAuthority(certs.k8sAggregator) }),
    documentOf("KubeAdmissionControlConfig", { name: "PodSecurity", configuration: POD_SECURITY }),
    documentOf("KubeAuditPolicyConfig", { configuration: AUDIT_POLICY }),
    documentOf("KubeAuthenticationConfig", { configuration: AUTHENTICATION }),
    documentOf("KubeAuthorizerConfig", { name: "node", type: "Node" }),
    documentOf("KubeAuthorizerConfig", { name: "rbac", type: "RBAC" }),
    documentOf("KubeEtcdEncryptionConfig", { config: etcdEncryption(input) }),
    documentOf("KubeServiceAccountConfig", {
      issuer: { privateKey: certs.k8sServiceAccount.key.reveal(), issuerURL: endpointUrl(input.endpoint) },
    }),
    apiServer(input),
    documentOf("KubeControllerManagerConfig", { image: kubernetesImage("kube-controller-manager", input) }),
    documentOf("KubeSchedulerConfig", { image: kubernetesImage("kube-scheduler", input), config: {} }),
    documentOf("KubeProxyConfig", {
      // Cilium replaces it.
      ...(input.cni === "cilium" && { enabled: false }),
      image: kubernetesImage("kube-proxy", input),
      config: {},
    }),
    // No document, no CNI from Talos.
    ...(input.cni === "flannel" ? [documentOf("KubeFlannelCNIConfig", { backendType: "vxlan", backendPort: 4789 })] : []),
    documentOf("KubeCoreDNSConfig", { enabled: true }),
    ...talosApiAccess(input),
  ];
}

function apiServer(input: ClusterInput): ConfigDocument {
  return documentOf("KubeAPIServerConfig", {
    image: kubernetesImage("kube-apiserver", input),
    ...(input.certSANs.length > 0 && { certExtraSANs: input.certSANs }),
  });
}

/**
 * The names are those under which older contracts have written, so that a cluster which began with one of them can still read its
 * secrets. talosctl 1.14.1 writes an aescbc key as a secretbox one here, which could not.
 */
function etcdEncryption({ secrets: { secrets } }: ClusterInput): JsonObject {
  const { kind, value } = secrets.encryption;
  const key = { name: kind === "secretbox" ? "key2" : "key1", secret: value.reveal() };
  return { resources: [{ providers: [{ [kind]: { keys: [key] } }], resources: ["secrets"] }] };
}

function talosApiAccess({ talosApiAccess: access }: ClusterInput): ConfigDocument[] {
  if (access === undefined) return [];
  const body = { allowedRoles: access.roles, allowedKubernetesNamespaces: access.namespaces };
  return [documentOf("KubeTalosAPIAccessConfig", body)];
}
