import type { DiskSelector, Role } from "../../../config/config.ts";
import type { ClusterInput } from "../cluster-input.ts";
import type { JsonObject } from "../document.ts";
import { authorityPair } from "./authority-pair.ts";
import { kubeSpan } from "./kube-span.ts";
import { CONTROL_PLANE_LABELS, HOST_DNS, KUBE_PRISM_PORT, kubeletImage } from "./kubernetes-defaults.ts";
import { proxyVariables } from "./proxy-variables.ts";

/** `machine` of contracts v1.12 and v1.13. */
export function machineSection(input: ClusterInput, role: Role): JsonObject {
  const { certs, trustdInfo } = input.secrets;
  const { talosApiAccess } = input;
  const controlPlane = role === "controlplane";
  return {
    type: role,
    token: trustdInfo.token.reveal(),
    ca: authorityPair(certs.os, role),
    certSANs: input.certSANs,
    kubelet: {
      image: kubeletImage(input),
      ...(input.kubeletCertificates && { extraArgs: { "rotate-server-certificates": "true" } }),
      defaultRuntimeSeccompProfileEnabled: true,
      disableManifestsDirectory: true,
    },
    ...beforeDocuments(input),
    features: {
      ...(controlPlane &&
        talosApiAccess && {
          kubernetesTalosAPIAccess: {
            enabled: true,
            allowedRoles: talosApiAccess.roles,
            allowedKubernetesNamespaces: talosApiAccess.namespaces,
          },
        }),
      diskQuotaSupport: true,
      kubePrism: { enabled: true, port: KUBE_PRISM_PORT },
      hostDNS: HOST_DNS,
    },
    ...(controlPlane && { nodeLabels: CONTROL_PLANE_LABELS }),
  };
}

/** Settings before Talos 1.13, which moved KubeSpan and environment variables to documents and no longer writes an empty network. */
function beforeDocuments(input: ClusterInput): JsonObject {
  const install = {
    ...installDisk(input.installDisk),
    image: input.installerImage,
    wipe: false,
    grubUseUKICmdline: true,
  };
  if (input.contract !== "v1.12") return { install };
  const env = proxyVariables(input);
  return { network: input.kubespan ? { kubespan: kubeSpan(input) } : {}, install, ...(env && { env }) };
}

function installDisk(disk: string | DiskSelector): JsonObject {
  if (typeof disk === "string") return { disk };
  const { size, model, serial, wwid, type, busPath } = disk;
  const said = Object.entries({ size, model, serial, wwid, type, busPath }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return { diskSelector: Object.fromEntries(said) };
}
