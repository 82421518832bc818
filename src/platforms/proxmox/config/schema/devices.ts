import * as z from "zod";
import { gpu } from "../../../../config/schema/gpu.ts";
import { checked, leaves, list, section, text, type Wrong } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";

/** A whole device (01:00) or one function of it (0000:01:00.0). */
const PCI = /^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}(\.[0-7])?$/i;

function pciWrong(value: string): Wrong | undefined {
  return PCI.test(value)
    ? undefined
    : { says: "is not a PCI address", hint: "write it as lspci shows it, such as 0000:01:00.0 or 01:00" };
}
/** pve-configid of Proxmox. */
const MAPPING = /^[A-Za-z][A-Za-z0-9_-]+$/;
/** Vendor and product, or bus and port: USB.pm of qemu-server. */
const USB = /^([0-9a-fA-F]{4}:[0-9a-fA-F]{4}|\d{1,3}-\d{1,3}(\.\d{1,3})*)$/;

const mapping = (about: string, example: string) =>
  text({
    about,
    example,
    pattern: MAPPING,
    check: words.named(MAPPING, "a resource mapping", `${example}, as Proxmox shows it under Datacenter, Resource Mappings`),
  });

const pciAddress = (about: string) => text({ about, example: "0000:01:00", pattern: PCI, check: pciWrong });

const usbId = (about: string) =>
  text({
    about,
    example: '"046d:c52b"',
    pattern: USB,
    check: (value) =>
      USB.test(value)
        ? undefined
        : {
            says: "is not a USB device",
            hint: 'write vendor and product as lsusb shows them, such as "046d:c52b", or { mapping: NAME }',
          },
  });

function oneOf(first: string, second: string) {
  return (item: Record<string, unknown>): Wrong | undefined =>
    (item[first] === undefined) === (item[second] === undefined)
      ? {
          says: `must have either ${first} or ${second}`,
          hint: `keep exactly one of the two; an API token can only use ${first}`,
        }
      : undefined;
}

const pciDevice = z
  .union([
    pciAddress("Address of a device."),
    checked(
      section("A PCI device.", {
        mapping: mapping("Resource mapping of the device in Proxmox.", "rtx4090").optional(),
        address: pciAddress("PCI address of the device on its host; without a function, all of its functions.").optional(),
        gpu: gpu("Driver for the device if it is a GPU; sets the node's gpu."),
      }),
      oneOf("mapping", "address"),
    ),
  ])
  .register(leaves, {
    example: "{ mapping: rtx4090 }",
    typeHint: "write { mapping: NAME }, or the device's address such as 0000:01:00",
  });

const usbDevice = z
  .union([
    usbId("Vendor and product."),
    checked(
      section("A USB device.", {
        mapping: mapping("Resource mapping of the device in Proxmox.", "zigbee").optional(),
        id: usbId("Vendor and product of the device, or its bus and port such as 1-2.").optional(),
      }),
      oneOf("mapping", "id"),
    ),
  ])
  .register(leaves, {
    example: "{ mapping: zigbee }",
    typeHint: 'write { mapping: NAME }, or vendor and product such as "046d:c52b"',
  });

const some = (what: string, most: number) => (items: readonly unknown[]) =>
  items.length > most ? { says: `has more than ${most} devices`, hint: `a machine can have ${most} ${what} devices` } : undefined;

/** Devices of the host that are passed to a machine. */
export const deviceSettings = {
  pci: list(pciDevice, {
    about: "PCI devices of the host to pass through, by resource mapping, or by address with the password of root@pam.",
    example: "[{ mapping: rtx4090, gpu: nvidia }]",
    byDefault: [],
    check: some("PCI", 16),
  }).optional(),
  usb: list(usbDevice, {
    about:
      "USB devices of the host to pass through, by resource mapping, or by vendor and product with the password of root@pam.",
    example: "[{ mapping: zigbee }]",
    byDefault: [],
    check: some("USB", 14),
  }).optional(),
};
