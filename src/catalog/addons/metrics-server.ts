import type { ChartOptions, Preset } from "./addon.ts";
import { certificateApprover } from "./certificate-approver.ts";
import { releaseOf } from "./release-of.ts";

/** Talos's guide to metrics-server: kubelets request serving certificates, an approver approves them, and TLS is verified. */
export const metricsServer: Preset<ChartOptions> = {
  chart: {
    name: "metrics-server",
    namespace: "kube-system",
    chart: "metrics-server",
    repository: "https://kubernetes-sigs.github.io/metrics-server",
    version: "3.13.1",
  },
  make: (options) => ({
    parts: [
      { kind: "objects", name: "certificate-approver", objects: certificateApprover() },
      releaseOf({ chart: metricsServer.chart, options }),
    ],
    machines: { kubeletCertificates: true },
  }),
};
