import { PRESETS } from "../../../catalog/addons/presets.ts";
import { preset } from "./chart-options.ts";

/** What tells Kubernetes of the machines its nodes are. */

export const talosCcm = preset(
  PRESETS.talosCcm,
  "Talos's cloud controller: labels nodes with what Talos knows about their machines and approves kubelet certificates.",
  {},
);
