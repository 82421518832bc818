import { userError } from "@talosmith/lib/errors.ts";
import { type NatWish, readNat } from "./nat.ts";

/** The flags of `host prepare`. */
export interface HostWish {
  /** The devices that flags choose for mappings of the config. */
  pci: readonly DeviceChoice[];
  usb: readonly DeviceChoice[];
  /** Hosts that may be rebooted. */
  reboot: readonly string[];
  /** Reboots hosts even while machines run there. */
  withGuests: boolean;
  nat?: NatWish;
}

export interface DeviceChoice {
  mapping: string;
  host: string;
  /** "0000:01:00", "0000:01:00.0"; for USB "10c4:ea60". */
  device: string;
}

export interface HostFlags {
  pci?: readonly string[];
  usb?: readonly string[];
  reboot?: readonly string[];
  withGuests?: boolean;
  nat?: string;
}

const PCI = /^(?:[0-9a-f]{4,}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?$/i;
const USB = /^[0-9a-f]{4}:[0-9a-f]{4}$/i;

export function readWish(flags: HostFlags): HostWish {
  return {
    pci: (flags.pci ?? []).map((text) => choice(text, "--pci", PCI, "gpu0=pve2:0000:01:00")).map(withDomain),
    usb: (flags.usb ?? []).map((text) => choice(text, "--usb", USB, "zigbee=pve1:10c4:ea60")),
    reboot: flags.reboot ?? [],
    withGuests: flags.withGuests ?? false,
    ...(flags.nat !== undefined && { nat: readNat(flags.nat) }),
  };
}

function choice(text: string, flag: string, shape: RegExp, example: string): DeviceChoice {
  const [, mapping = "", host = "", device = ""] = /^([A-Za-z][\w-]+)=([A-Za-z0-9][\w.-]*?):(.+)$/.exec(text) ?? [];
  if (mapping !== "" && shape.test(device)) return { mapping, host, device: device.toLowerCase() };
  throw userError("BAD_FLAG", {
    message: `Unable to understand ${flag} ${text}`,
    hint: `it is MAPPING=HOST:DEVICE, such as ${flag} ${example}`,
  });
}

function withDomain(given: DeviceChoice): DeviceChoice {
  return /^[0-9a-f]{4,}:[0-9a-f]{2}:/.test(given.device) ? given : { ...given, device: `0000:${given.device}` };
}
