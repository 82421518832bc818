import type { ChartOptions, ClusterFacts, Preset } from "./addon.ts";
import { releaseOf } from "./release-of.ts";

export interface LonghornOptions extends ChartOptions {
  /** Copies of each volume. */
  readonly replicas?: number;
  /** Name of the user volume that holds them, mounted at /var/mnt/NAME; else they are on the system disk. */
  readonly volume?: string;
  readonly defaultClass?: boolean;
}

/**
 * A directory volume, as in Talos's own test of Longhorn (hack/test/patches/longhorn.yaml): Longhorn's usual /var/lib/longhorn would have to be an
 * extra mount of kubelet, which the config format of Talos 1.14 no longer has.
 */
const ON_SYSTEM_DISK = "/var/mnt/longhorn";

/** Talos's guide to Longhorn (its first engine), see docs/facts/kubernetes.md#longhorn-on-talos. */
export const longhorn: Preset<LonghornOptions> = {
  chart: {
    name: "longhorn",
    namespace: "longhorn-system",
    chart: "longhorn",
    repository: "https://charts.longhorn.io",
    version: "1.12.1",
  },
  make: (options, facts) => {
    const { replicas = copiesFor(facts), volume, defaultClass = true } = options;
    const values = {
      defaultSettings: {
        defaultDataPath: volume === undefined ? ON_SYSTEM_DISK : `/var/mnt/${volume}`,
        defaultReplicaCount: replicas,
      },
      persistence: { defaultClass, defaultClassReplicaCount: replicas },
    };
    return {
      parts: [releaseOf({ chart: longhorn.chart, options, values, privileged: true })],
      machines: {
        extensions: ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"],
        ...(volume === undefined && { kubeletMounts: [ON_SYSTEM_DISK] }),
      },
    };
  },
};

/** Longhorn's default of three, or the number of nodes: with fewer nodes than copies a volume stays degraded. */
function copiesFor({ workers, controlPlanes, scheduleOnControlPlanes }: ClusterFacts): number {
  const nodes = workers + (scheduleOnControlPlanes ? controlPlanes : 0);
  return Math.min(3, Math.max(1, nodes));
}
