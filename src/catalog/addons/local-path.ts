import type { ChartOptions, Preset } from "./addon.ts";
import { releaseOf } from "./release-of.ts";

export interface LocalPathOptions extends ChartOptions {
  /** Folder on every node; its volumes are below it. */
  readonly path?: string;
  readonly defaultClass?: boolean;
}

/** The folder that Talos passes to kubelet, with user volumes: Talos's guide to local storage. */
const SHARED = "/var/mnt/";

export const localPath: Preset<LocalPathOptions> = {
  chart: {
    name: "local-path-provisioner",
    namespace: "local-path-storage",
    chart: "local-path-provisioner",
    repository: "oci://ghcr.io/rancher/local-path-provisioner/charts",
    version: "0.0.37",
  },
  make: (options) => {
    const { path = `${SHARED}local-path-provisioner`, defaultClass = false } = options;
    const values = {
      storageClass: { defaultClass },
      // The chart's own, /opt, cannot be written on Talos.
      nodePathMap: [{ node: "DEFAULT_PATH_FOR_NON_LISTED_NODES", paths: [path] }],
    };
    return {
      parts: [releaseOf({ chart: localPath.chart, options, values, privileged: true })],
      // Also below /var/mnt: kubelet has that read-only, and could not make the folder in it.
      machines: { kubeletMounts: [path] },
    };
  },
};
