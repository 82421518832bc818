import type { ChartOptions, Preset } from "./addon.ts";
import { releaseOf } from "./release-of.ts";

export const certManager: Preset<ChartOptions> = {
  chart: {
    name: "cert-manager",
    namespace: "cert-manager",
    chart: "cert-manager",
    repository: "oci://quay.io/jetstack/charts",
    version: "v1.21.2",
  },
  make: (options) => ({
    // Kept when the release is removed, because otherwise all certificates of the cluster would be deleted with the CRDs.
    parts: [releaseOf({ chart: certManager.chart, options, values: { crds: { enabled: true, keep: true } } })],
    machines: {},
  }),
};
