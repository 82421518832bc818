import type { Role } from "../../../config/config.ts";
import { type ClusterInput, endpointUrl } from "../cluster-input.ts";
import type { JsonObject } from "../document.ts";
import { authorityPair, base64 } from "./authority-pair.ts";
import { AUDIT_POLICY, kubernetesImage, POD_SECURITY } from "./kubernetes-defaults.ts";

/** `cluster` of contracts v1.12 and v1.13: workers know only how to join. */
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
  const discovery = { enabled: input.discovery, registries: { kubernetes: { disabled: true }, service: {} } };
  // Kubelets must know as well, so workers have it too.
  const cloud = input.externalCloudProvider && { externalCloudProvider: { enabled: true } };
  if (role === "worker") return { ...shared, ca: authorityPair(certs.k8s, role), discovery, ...cloud };
  return {
    ...shared,
    [`${secrets.encryption.kind}EncryptionSecret`]: secrets.encryption.value.reveal(),
    ca: authorityPair(certs.k8s, role),
    aggregatorCA: authorityPair(certs.k8sAggregator, role),
    serviceAccount: { key: base64(certs.k8sServiceAccount.key.reveal()) },
    apiServer: {
      image: kubernetesImage("kube-apiserver", input),
      ...(input.certSANs.length > 0 && { certSANs: input.certSANs }),
      admissionControl: [{ name: "PodSecurity", configuration: POD_SECURITY }],
      auditPolicy: AUDIT_POLICY,
    },
    controllerManager: { image: kubernetesImage("kube-controller-manager", input) },
    proxy: {
      // Cilium replaces it.
      ...(input.cni === "cilium" && { disabled: true }),
      image: kubernetesImage("kube-proxy", input),
    },
    scheduler: { image: kubernetesImage("kube-scheduler", input) },
    discovery,
    etcd: { ca: authorityPair(certs.etcd, role) },
    ...cloud,
    extraManifests: [],
    inlineManifests: [],
    ...(input.scheduleOnControlPlanes && { allowSchedulingOnControlPlanes: true }),
  };
}

/** Without a CNI setting Talos installs flannel. */
function clusterNetwork({ cni, dnsDomain, podSubnets, serviceSubnets }: ClusterInput): JsonObject {
  return { ...(cni !== "flannel" && { cni: { name: "none" } }), dnsDomain, podSubnets, serviceSubnets };
}
