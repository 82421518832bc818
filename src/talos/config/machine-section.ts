import type { Role } from "../../config/config.ts";
import { authorityPair } from "./authority-pair.ts";
import type { ClusterInput } from "./cluster-input.ts";
import type { JsonObject } from "./document.ts";

/** `machine` of a base config. */
export function machineSection(input: ClusterInput, role: Role): JsonObject {
  const { certs, trustdInfo } = input.secrets;
  return {
    type: role,
    token: trustdInfo.token.reveal(),
    ca: authorityPair(certs.os, role),
    certSANs: [],
    kubelet: {
      image: `ghcr.io/siderolabs/kubelet:${input.kubernetes}`,
      defaultRuntimeSeccompProfileEnabled: true,
      disableManifestsDirectory: true,
    },
    // Talos 1.13 no longer expects it, 1.12 still writes it.
    ...(input.contract === "v1.12" && { network: {} }),
    install: { disk: input.installDisk, image: input.installerImage, wipe: false, grubUseUKICmdline: true },
    features: {
      diskQuotaSupport: true,
      kubePrism: { enabled: true, port: 7445 },
      hostDNS: { enabled: true, forwardKubeDNSToHost: true },
    },
    ...(role === "controlplane" && {
      nodeLabels: { "node.kubernetes.io/exclude-from-external-load-balancers": "" },
    }),
  };
}
