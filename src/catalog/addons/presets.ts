import { argocd } from "./argocd.ts";
import { certManager } from "./certmanager.ts";
import { cilium } from "./cilium.ts";
import { flux } from "./flux.ts";
import { localPath } from "./local-path.ts";
import { longhorn } from "./longhorn.ts";
import { metricsServer } from "./metrics-server.ts";
import { monitoring } from "./monitoring.ts";
import { nvidia } from "./nvidia.ts";
import { proxmoxCcm } from "./proxmox-ccm.ts";
import { proxmoxCsi } from "./proxmox-csi.ts";
import { talosCcm } from "./talos-ccm.ts";

/** By their key in the config. */
export const PRESETS = {
  cilium,
  flux,
  argocd,
  metricsServer,
  nvidia,
  monitoring,
  longhorn,
  localPath,
  proxmoxCsi,
  proxmoxCcm,
  talosCcm,
  certManager,
} as const;
