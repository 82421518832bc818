import type { Role } from "../../../config/config.ts";
import { type ClusterInput, endpointUrl } from "../cluster-input.ts";
import type { ConfigDocument } from "../document.ts";
import { issuingAuthority } from "./authority-pair.ts";
import { documentOf } from "./document-of.ts";
import { CONTROL_PLANE_LABELS, KUBE_PRISM_PORT, kubeletImage } from "./kubernetes-defaults.ts";

/** Kubernetes documents of contract v1.14 for all nodes. Empty parts are those of talosctl. */
export function kubernetesDocuments(input: ClusterInput, role: Role): ConfigDocument[] {
  const { dnsDomain, podSubnets, serviceSubnets } = input;
  return [
    documentOf("KubeClusterConfig", { clusterName: input.name, endpoint: endpointUrl(input.endpoint) }),
    role === "controlplane" ? controlPlaneNode(input) : documentOf("KubeNodeConfig", { nodeIP: {} }),
    documentOf("KubeletConfig", {
      image: kubeletImage(input),
      // Equivalent to --rotate-server-certificates; Talos prefers the file to arguments here.
      config: input.kubeletCertificates ? { serverTLSBootstrap: true } : {},
      defaultRuntimeSeccompProfileEnabled: true,
    }),
    documentOf("KubeNetworkConfig", { dnsDomain, podSubnets, serviceSubnets }),
    authority(input, role),
    documentOf("KubePrismConfig", { port: KUBE_PRISM_PORT }),
  ];
}

const ROLE = "node-role.kubernetes.io/control-plane";

/** The role's own label and taint, which Talos adds by itself in older contracts, are written out: no taint lets everything in. */
function controlPlaneNode({ scheduleOnControlPlanes }: ClusterInput): ConfigDocument {
  return documentOf("KubeNodeConfig", {
    nodeIP: {},
    labels: { [ROLE]: "", ...CONTROL_PLANE_LABELS },
    ...(!scheduleOnControlPlanes && { taints: { [ROLE]: "NoSchedule" } }),
  });
}

/** A worker trusts the CA and never holds its key. */
function authority({ secrets: { certs } }: ClusterInput, role: Role): ConfigDocument {
  const body = role === "worker" ? { acceptedCAs: [certs.k8s.certificate] } : { issuingCA: issuingAuthority(certs.k8s) };
  return documentOf("KubeAPIServerCAConfig", body);
}
