import type { RootView } from "./state.ts";

/** Where a symbolic link leads: the only links of a host are those from PCI devices to their drivers. */
export function linkAt(view: RootView, path: string): string | undefined {
  const [, id] = /^\/sys\/bus\/pci\/devices\/([^/]+)\/driver$/.exec(path) ?? [];
  const driver = id === undefined ? undefined : driverOf(view, id);
  return driver === undefined ? undefined : `../../../../bus/pci/drivers/${driver}`;
}

/** vfio-pci has a device that it was configured for when it was loaded early enough; else the device has its usual driver. */
function driverOf({ host, system }: RootView, id: string): string | undefined {
  const device = host.pci.find((one) => one.id === id);
  if (!device) return undefined;
  if (system.modules.includes(`vfio-pci:${device.vendor}:${device.device}`)) return "vfio-pci";
  if (device.class.startsWith("03")) return device.vendor === "10de" ? "nouveau" : undefined;
  return device.class.startsWith("0403") ? "snd_hda_intel" : undefined;
}
