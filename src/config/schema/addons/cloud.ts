import { PRESETS } from "../../../catalog/addons/presets.ts";
import { preset } from "./chart-options.ts";

/** What tells Kubernetes of the machines its nodes are. */

export const talosCcm = preset(
  PRESETS.talosCcm,
  "Talos's cloud controller: nodes are labelled with what Talos knows of them, and kubelets' certificates approved.",
  {},
);
