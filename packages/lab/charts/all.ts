import { argoCd } from "./argo-cd.ts";
import { certManager } from "./certmanager.ts";
import { type ChartFiles, chartFiles, type LabChart } from "./chart.ts";
import { cilium } from "./cilium/chart.ts";
import { proxmoxCloudControllerManager, talosCloudControllerManager } from "./cloud-controllers.ts";
import { flux2 } from "./flux2.ts";
import { k8sMonitoring } from "./k8s-monitoring.ts";
import { localPathProvisioner } from "./local-path-provisioner.ts";
import { longhorn } from "./longhorn.ts";
import { metricsServer } from "./metrics-server.ts";
import { gpuOperator, nvidiaDevicePlugin } from "./nvidia.ts";
import { podinfo } from "./podinfo.ts";
import { proxmoxCsiPlugin } from "./proxmox-csi-plugin.ts";

/** Every chart the lab's repositories have. */
export const CHARTS: readonly LabChart[] = [
  cilium,
  flux2,
  argoCd,
  metricsServer,
  nvidiaDevicePlugin,
  gpuOperator,
  k8sMonitoring,
  longhorn,
  localPathProvisioner,
  proxmoxCsiPlugin,
  proxmoxCloudControllerManager,
  talosCloudControllerManager,
  certManager,
  podinfo,
];

export function everyVersion(): { chart: LabChart; files: ChartFiles }[] {
  return CHARTS.flatMap((chart) => chart.versions.map((version) => ({ chart, files: chartFiles(chart, version) })));
}
