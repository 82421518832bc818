import type { Called } from "../api/caller.ts";
import { loadedModules, nvidiaDriver } from "../machine/modules.ts";
import type { PciCard } from "../state.ts";
import { type Described, described, type ResourceSource } from "./resource.ts";

/** Names of device classes in lspci. */
const CLASSES: Readonly<Record<string, readonly [name: string, subclasses: Readonly<Record<string, string>>]>> = {
  "01": ["Mass storage controller", { "00": "SCSI storage controller", "06": "SATA controller" }],
  "02": ["Network controller", { "00": "Ethernet controller" }],
  "03": ["Display controller", { "00": "VGA compatible controller", "02": "3D controller" }],
  "04": ["Multimedia controller", { "03": "Audio device" }],
  "06": ["Bridge", { "00": "Host bridge", "04": "PCI bridge" }],
};

const HOST_BRIDGE: PciCard = {
  address: "0000:00:00.0",
  class: "060000",
  vendor: "8086",
  device: "29c0",
  vendorName: "Intel Corporation",
  deviceName: "82G33/G31/P35/P31 Express DRAM Controller",
};

function pciDevice(called: Called, card: PciCard): Described {
  const [kind = "", part = ""] = [card.class.slice(0, 2), card.class.slice(2, 4)];
  const [name, parts] = CLASSES[kind] ?? ["", {}];
  const driver = driverOf(called, card);
  return [
    card.address,
    {
      ...(name !== "" && { class: name }),
      ...(parts[part] !== undefined && { subclass: parts[part] }),
      ...(card.vendorName !== undefined && { vendor: card.vendorName }),
      ...(card.deviceName !== undefined && { product: card.deviceName }),
      class_id: `0x${kind}`,
      subclass_id: `0x${part}`,
      vendor_id: `0x${card.vendor}`,
      product_id: `0x${card.device}`,
      ...(driver !== undefined && { driver }),
    },
  ];
}

function driverOf({ lab, machine, boot }: Called, { class: kind }: PciCard): string | undefined {
  return kind.startsWith("03") && nvidiaDriver(lab, machine, boot) !== undefined ? "nvidia" : undefined;
}

/** Resources about cards and kernel modules. */
export const deviceSources: readonly ResourceSource[] = [
  described(
    "PCIDevices.hardware.talos.dev",
    "hardware.PCIDevicesController",
    `1 class? text  2 subclass? text  3 vendor? text  4 product? text  5 class_id text  6 subclass_id text  7 vendor_id text
     8 product_id text  9 driver? text`,
    (called) => [HOST_BRIDGE, ...(called.machine.hardware.pci ?? [])].map((card) => pciDevice(called, card)),
  ),
  described(
    "LoadedKernelModules.runtime.talos.dev",
    "runtime.LoadedKernelModuleController",
    "1 size number  2 referenceCount number  3 dependencies? text*  4 state text  5 address text",
    ({ lab, machine, boot }) =>
      loadedModules(lab, machine, boot).map(({ name, needs }) => [
        name,
        { size: 24_576, referenceCount: 0, dependencies: [...needs], state: "Live", address: "0x0000000000000000" },
      ]),
  ),
  described(
    "KernelModuleStatuses.runtime.talos.dev",
    "runtime.KernelModuleStatusController",
    "1 type moduleType  2 size number  3 referenceCount number  4 dependencies? text*  5 state moduleState  6 address text",
    ({ lab, machine, boot }) =>
      loadedModules(lab, machine, boot).map(({ name, needs }) => [
        name,
        {
          type: "dynamic",
          size: 24_576,
          referenceCount: 0,
          dependencies: [...needs],
          state: "live",
          address: "0x0000000000000000",
        },
      ]),
  ),
];
