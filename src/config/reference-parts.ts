import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { keysAt } from "./schema/walk.ts";

/** Settings that are sections themselves. */
export const SETTING_PARTS: readonly [title: string, path: Path, intro?: string][] = [
  [
    "Setting installDisk",
    ["installDisk"],
    "A disk by what it is, instead of its path; all that is given must fit. A volume's `disk` is described the same way.",
  ],
  ["Setting volumes[]", ["volumes", 0], "A volume for workloads. One of `size`, `minSize` and `maxSize` must be there."],
  [
    "Setting volumes[].encryption",
    ["volumes", 0, "encryption"],
    "`nodeID`, `tpm`, or a section with one of these two; the same for the partitions under `encryption`.",
  ],
  ["Setting ephemeral", ["ephemeral"]],
  ["Setting encryption", ["encryption"]],
  ["Setting disks[]", ["disks", 0], "A disk beside the system disk. For `platform: proxmox`."],
  ["Setting diskFlags", ["diskFlags"], "The same keys may stand under `flags` of a disk, and hold for that one."],
  ["Setting pci[]", ["pci", 0], "A PCI device of the host, instead of its address alone. For `platform: proxmox`."],
  ["Setting usb[]", ["usb", 0], "A USB device of the host, instead of vendor and product alone. For `platform: proxmox`."],
  ["Setting startup", ["startup"], "For `platform: proxmox`; the token needs Sys.Modify on `/` for it."],
  ["Setting nics[]", ["nics", 0], "A network card beside the first one."],
  ["Setting nics[].routes[]", ["nics", 0, "routes", 0], "A route through the card."],
  ["Setting nics[].vlans[]", ["nics", 0, "vlans", 0], "A VLAN on the card."],
  ["Setting bond", ["bond"], "Several network cards as one, instead of `mac`. For `platform: metal` and `vps`."],
  ["Setting ssh", ["ssh"], "How to log in to a server's rescue system, where it differs from `vps.ssh`. For `platform: vps`."],
  ["Setting taints[]", ["taints", 0], "A taint as a section, instead of `key=value:Effect`."],
  ["Setting kernelModules[]", ["kernelModules", 0], "A kernel module with parameters, instead of its name."],
];

/** Presets and what else `addons` has, in its order. */
export const ADDON_PARTS: readonly [path: Path, intro?: string][] = keysAt(["addons"], "available").flatMap((key) => {
  const inner: Record<string, readonly [path: Path, intro?: string][]> = {
    cilium: [
      [["cilium"]],
      [["cilium", "loadBalancer"]],
      [["cilium", "bgp"]],
      [["cilium", "bgp", "peers", 0], "A router."],
      [["cilium", "gatewayApi"], "Instead of `true`, which takes the release that Cilium was tested with."],
    ],
    monitoring: [
      [["monitoring"]],
      [["monitoring", "destinations", "cloud"], "Somewhere data is sent to, by a name of your choice."],
    ],
    proxmoxCsi: [[["proxmoxCsi"]], [["proxmoxCsi", "classes", 0], "A storage class."]],
    manifests: [[["manifests", 0], "Instead of the name of a file: one of `url` and `inline`."]],
    charts: [[["charts", 0], "A Helm chart of your own."]],
    secrets: [[["secrets", 0], "A Secret."]],
    helmImage: [],
  };
  return inner[key] ?? [[[key]]];
});
