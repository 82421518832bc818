import type { Json } from "@talosmith/lib/json.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_LIST } from "../parameters/formats.ts";
import { splitList } from "../parameters/schema.ts";
import { type Host, hostNamed, type PciDevice } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

/** Memory controllers, bridges and processors are not offered for passthrough. */
const BLACKLIST = "05;06;0b";

/** GET /nodes/{n}/hardware/pci (docs/facts/proxmox.md#devices): all groups are -1 when the IOMMU is off. */
function pci({ state, node, params }: ApiCall): Json {
  const host = hostNamed(state, node);
  const hidden = splitList(params["pci-class-blacklist"] ?? BLACKLIST);
  const verbose = params.verbose !== "0";
  return (host?.pci ?? [])
    .filter((device) => !hidden.some((prefix) => device.class.startsWith(prefix)))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((device) => ({ ...shown(host, device), ...(verbose && described(device)) }));
}

function shown(host: Host | undefined, device: PciDevice): Record<string, Json> {
  return {
    id: device.id,
    class: `0x${device.class}`,
    vendor: `0x${device.vendor}`,
    device: `0x${device.device}`,
    iommugroup: host?.iommu ? device.group : -1,
    ...(device.mdev && { mdev: 1 }),
  };
}

function described(device: PciDevice): Record<string, Json> {
  const { vendorName, deviceName, subsystemVendor, subsystemDevice, subsystemVendorName } = device;
  return {
    ...(vendorName !== undefined && { vendor_name: vendorName }),
    ...(deviceName !== undefined && { device_name: deviceName }),
    // A device without a subsystem reports zero.
    subsystem_vendor: `0x${subsystemVendor ?? "0000"}`,
    subsystem_device: `0x${subsystemDevice ?? "0000"}`,
    ...(subsystemVendorName !== undefined && { subsystem_vendor_name: subsystemVendorName }),
  };
}

function usb({ state, node }: ApiCall): Json {
  return (hostNamed(state, node)?.usb ?? []).map((device) => ({ ...device }));
}

export const hardwareRoutes: Method[] = [
  route("GET", "/nodes/:node/hardware", { permission: { user: "all" } }, () => [{ type: "pci" }, { type: "usb" }]),
  route(
    "GET",
    "/nodes/:node/hardware/pci",
    {
      permission: { anyPrivilege: ["/", "Sys.Audit", "Sys.Modify"] },
      parameters: { "pci-class-blacklist": OPTIONAL_LIST, verbose: OPTIONAL_BOOLEAN },
    },
    pci,
  ),
  route("GET", "/nodes/:node/hardware/usb", { permission: { privilege: ["/", "Sys.Modify"] } }, usb),
];
