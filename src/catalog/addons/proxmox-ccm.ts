import type { Preset } from "./addon.ts";
import { ON_CONTROL_PLANES, type ProxmoxDriverOptions, proxmoxAccess } from "./proxmox-api.ts";
import { releaseOf } from "./release-of.ts";

/**
 * Labels nodes with their hosts, and removes nodes whose machines no longer exist. Its token needs VM.Audit and Sys.Audit on `/` (and
 * VM.GuestAgent.Audit from Proxmox 9 on, to read a machine's addresses).
 */
export const proxmoxCcm: Preset<ProxmoxDriverOptions> = {
  chart: {
    name: "proxmox-cloud-controller-manager",
    namespace: "kube-system",
    chart: "proxmox-cloud-controller-manager",
    repository: "oci://ghcr.io/sergelogvinov/charts",
    version: "0.2.28",
  },
  make: (options, facts) => {
    const { chart } = proxmoxCcm;
    const namespace = options.namespace ?? chart.namespace;
    const { part, values, podAnnotations } = proxmoxAccess(options, facts, { namespace, privileged: false });
    const release = releaseOf({ chart, options, values: { ...values, podAnnotations, ...ON_CONTROL_PLANES } });
    return { parts: [part, release], machines: { externalCloudProvider: true } };
  },
};
