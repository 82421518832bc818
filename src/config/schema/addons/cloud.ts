import { PRESETS } from "../../../catalog/addons/presets.ts";
import { preset } from "./chart-options.ts";

/** The preset of Talos's cloud controller. */

export const talosCcm = preset(
  PRESETS.talosCcm,
  "Talos's cloud controller: labels nodes with what Talos knows about their machines and approves kubelet certificates.",
  {},
);
