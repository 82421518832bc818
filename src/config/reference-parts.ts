import type { ReferencePart } from "./platform.ts";

/** Settings of all platforms that are sections themselves. */
export const SETTING_PARTS: readonly ReferencePart[] = [
  [
    ["installDisk"],
    "A disk selected by its properties instead of its path; all properties must match. The same keys are valid in `disk` of a volume.",
  ],
  [["volumes", 0], "A volume for workloads. It needs `size`, `minSize` or `maxSize`."],
  [
    ["volumes", 0, "encryption"],
    "`nodeID`, `tpm`, or a section with one of these two; the same for the partitions under `encryption`.",
  ],
  [["ephemeral"]],
  [["encryption"]],
  [["nics", 0], "An additional network card."],
  [["nics", 0, "routes", 0], "A route through the card."],
  [["nics", 0, "vlans", 0], "A VLAN on the card."],
  [["bond"], "Several network cards combined into one, instead of `mac`."],
  [["taints", 0], "A taint as a section, instead of `key=value:Effect`."],
  [["kernelModules", 0], "A kernel module with parameters, instead of its name."],
];

/** Presets that are more than one section, and what else `addons` has. */
export const ADDON_PARTS: Readonly<Record<string, readonly ReferencePart[]>> = {
  cilium: [
    [["cilium"]],
    [["cilium", "loadBalancer"]],
    [["cilium", "bgp"]],
    [["cilium", "bgp", "peers", 0], "A router."],
    [["cilium", "gatewayApi"], "Instead of `true`, which installs the release that Cilium was tested with."],
  ],
  monitoring: [
    [["monitoring"]],
    [["monitoring", "destinations", "metrics"], "A destination for data, by a name of your choice."],
  ],
  manifests: [[["manifests", 0], "Instead of the name of a file: one of `url` and `inline`."]],
  charts: [[["charts", 0], "A Helm chart of your own."]],
  secrets: [[["secrets", 0], "A Secret."]],
  helmImage: [],
};
