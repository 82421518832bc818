import type { ClusterFacts, MachineWishes, Preset, Values } from "./addon.ts";
import { ON_CONTROL_PLANES, type ProxmoxDriverOptions, proxmoxAccess, regionOf } from "./proxmox-api.ts";
import { releaseOf } from "./release-of.ts";

export interface ProxmoxStorageClass {
  readonly name: string;
  /** A storage of Proxmox. */
  readonly storage: string;
  readonly default?: boolean;
  readonly reclaim?: "delete" | "retain";
}

export interface ProxmoxCsiOptions extends ProxmoxDriverOptions {
  readonly classes: readonly ProxmoxStorageClass[];
}

/** Volumes are disks of the machines. Its token needs VM.Audit, VM.Config.Disk, Datastore.Allocate, Datastore.AllocateSpace and Datastore.Audit on `/`. */
export const proxmoxCsi: Preset<ProxmoxCsiOptions> = {
  chart: {
    name: "proxmox-csi-plugin",
    namespace: "csi-proxmox",
    chart: "proxmox-csi-plugin",
    repository: "oci://ghcr.io/sergelogvinov/charts",
    version: "0.5.9",
  },
  make: (options, facts) => {
    const { chart } = proxmoxCsi;
    const namespace = options.namespace ?? chart.namespace;
    const { part, values, podAnnotations } = proxmoxAccess(options, facts, { namespace, privileged: true });
    const driver = {
      ...values,
      ...ON_CONTROL_PLANES,
      controller: { podAnnotations },
      // Runs on tainted nodes too, whose pods may have volumes.
      node: { tolerations: [{ operator: "Exists" }] },
      storageClass: options.classes.map(storageClass),
    };
    const release = releaseOf({ chart, options, values: driver, privileged: true });
    return { parts: [part, release], machines: whereDisksAre(options, facts) };
  },
};

function storageClass({ name, storage, default: byDefault = false, reclaim = "delete" }: ProxmoxStorageClass): Values {
  return {
    name,
    storage,
    reclaimPolicy: reclaim === "retain" ? "Retain" : "Delete",
    ...(byDefault && { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } }),
  };
}

/** The driver finds a disk by its node's labels. With several hosts only the cloud controller knows which machine is where. */
function whereDisksAre(options: ProxmoxCsiOptions, facts: ClusterFacts): MachineWishes {
  const [host, ...others] = facts.proxmox?.hosts ?? [];
  if (host === undefined || others.length > 0) return {};
  return { labels: { "topology.kubernetes.io/region": regionOf(options, facts), "topology.kubernetes.io/zone": host } };
}
