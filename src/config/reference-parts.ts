import type { ReferencePart } from "./platform.ts";

/** Settings of all platforms that are sections themselves. */
export const SETTING_PARTS: readonly ReferencePart[] = [
  [
    ["installDisk"],
    "A disk by what it is, instead of its path; all that is given must fit. A volume's `disk` is described the same way.",
  ],
  [["volumes", 0], "A volume for workloads. One of `size`, `minSize` and `maxSize` must be there."],
  [
    ["volumes", 0, "encryption"],
    "`nodeID`, `tpm`, or a section with one of these two; the same for the partitions under `encryption`.",
  ],
  [["ephemeral"]],
  [["encryption"]],
  [["nics", 0], "A network card beside the first one."],
  [["nics", 0, "routes", 0], "A route through the card."],
  [["nics", 0, "vlans", 0], "A VLAN on the card."],
  [["bond"], "Several network cards as one, instead of `mac`."],
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
    [["cilium", "gatewayApi"], "Instead of `true`, which takes the release that Cilium was tested with."],
  ],
  monitoring: [
    [["monitoring"]],
    [["monitoring", "destinations", "metrics"], "Somewhere data is sent to, by a name of your choice."],
  ],
  manifests: [[["manifests", 0], "Instead of the name of a file: one of `url` and `inline`."]],
  charts: [[["charts", 0], "A Helm chart of your own."]],
  secrets: [[["secrets", 0], "A Secret."]],
  helmImage: [],
};
