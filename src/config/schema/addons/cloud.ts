import { driverToken } from "../proxmox-token.ts";
import { preset, toldPreset } from "./chart-options.ts";
import { region } from "./storage.ts";

/** What tells Kubernetes of the machines its nodes are. */

export const proxmoxCcm = toldPreset(
  "proxmoxCcm",
  "Proxmox's cloud controller: nodes are labelled with the host they are on, and go when their machine does.",
  `{ token: "\${env:CCM_TOKEN}" }`,
  { token: driverToken, region: region() },
);

export const talosCcm = preset(
  "talosCcm",
  "Talos's cloud controller: nodes are labelled with what Talos knows of them, and kubelets' certificates approved.",
  {},
);
