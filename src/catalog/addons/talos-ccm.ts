import type { ChartOptions, Preset } from "./addon.ts";
import { releaseOf } from "./release-of.ts";

export const talosCcm: Preset<ChartOptions> = {
  chart: {
    name: "talos-cloud-controller-manager",
    namespace: "kube-system",
    chart: "talos-cloud-controller-manager",
    repository: "oci://ghcr.io/siderolabs/charts",
    version: "0.5.4",
  },
  make: (options) => {
    const release = releaseOf({ chart: talosCcm.chart, options });
    return {
      parts: [release],
      machines: { externalCloudProvider: true, talosApiAccess: { roles: ["os:reader"], namespaces: [release.namespace] } },
    };
  },
};
