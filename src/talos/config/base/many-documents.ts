import type { Role } from "../../../config/config.ts";
import type { ClusterInput } from "../cluster-input.ts";
import { diskExpression } from "../disk-expression.ts";
import type { ConfigDocument } from "../document.ts";
import { authorityPair } from "./authority-pair.ts";
import { controlPlaneDocuments } from "./control-plane-documents.ts";
import { documentOf } from "./document-of.ts";
import { HOST_DNS } from "./kubernetes-defaults.ts";
import { kubernetesDocuments } from "./kubernetes-documents.ts";
import { machineDocuments } from "./machine-documents.ts";

/** Contract v1.14: a document per subject. Talos refuses a setting in both forms, so the original format has only the rest. */
export function manyDocuments(input: ClusterInput, role: Role): ConfigDocument[] {
  return [
    original(input, role),
    // No document, no discovery.
    ...(input.discovery ? [documentOf("DiscoveryServiceConfig", { name: "default", endpoint: DISCOVERY_SERVICE })] : []),
    identity(input),
    install(input),
    documentOf("ResolverConfig", { hostDNS: HOST_DNS }),
    documentOf("VolumeConfig", { name: "EPHEMERAL", mount: { secure: true } }),
    documentOf("FilesystemTrimConfig", { interval: ONE_WEEK }),
    documentOf("SecurityProfileConfig", { workloadIsolation: true }),
    ...machineDocuments(input),
    ...kubernetesDocuments(input, role),
    ...(role === "controlplane" ? controlPlaneDocuments(input) : []),
  ];
}

const DISCOVERY_SERVICE = "https://discovery.talos.dev/";
/** A week in Go's notation of durations. */
const ONE_WEEK = "168h0m0s";

/** Settings without a document of their own yet, such as an external cloud provider. */
function original(input: ClusterInput, role: Role): ConfigDocument {
  const { certs, secrets, trustdInfo } = input.secrets;
  return {
    version: "v1alpha1",
    debug: false,
    persist: true,
    machine: {
      type: role,
      token: trustdInfo.token.reveal(),
      ca: authorityPair(certs.os, role),
      certSANs: input.certSANs,
      features: { diskQuotaSupport: true },
    },
    cluster: {
      token: secrets.bootstrapToken.reveal(),
      ...(role === "controlplane" && { etcd: { ca: authorityPair(certs.etcd, role) } }),
      ...(input.externalCloudProvider && { externalCloudProvider: { enabled: true } }),
    },
  };
}

/** The identity by which the nodes of a cluster recognise each other, also for KubeSpan; written even without discovery. */
function identity({ secrets: { cluster } }: ClusterInput): ConfigDocument {
  return documentOf("DiscoveryIdentityConfig", { clusterID: cluster.id, clusterSecret: cluster.secret.reveal() });
}

function install({ installerImage, installDisk }: ClusterInput): ConfigDocument {
  return documentOf("UnattendedInstallConfig", {
    installer: { image: installerImage },
    // Unlike in the original format, an absent value would mean true here.
    provisioning: { diskSelector: { match: diskExpression(installDisk) }, wipe: false },
  });
}
