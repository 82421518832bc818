import type { VmOptions } from "../client/qemu.ts";
import type { HostDevice } from "../config/config-on-proxmox.ts";
import type { MachineSpec } from "../machine.ts";
import { isOn, type Properties, printProperties, readProperties } from "../property-string.ts";
import { absent } from "./absent.ts";
import type { FieldItem, MachineField } from "./field.ts";

/** A kind of host devices in a VM's config: one option per slot, the first part of its value is the device. */
interface Kind {
  readonly slot: "hostpci" | "usb";
  readonly setting: "pci" | "usb";
  devices(spec: MachineSpec): readonly HostDevice[];
  /** The other properties of the value. */
  beside(spec: MachineSpec): Properties;
  address(text: string): string;
}

const PCI: Kind = {
  slot: "hostpci",
  setting: "pci",
  devices: ({ node }) => node.pci,
  // The old chipset has no PCI Express.
  beside: ({ node }): Properties => (node.machine.includes("q35") ? { pcie: "1" } : {}),
  address: (text) =>
    text
      .toLowerCase()
      .split(";")
      .map((one) => (/^[0-9a-f]{4}:/.test(one) ? one : `0000:${one}`))
      .sort()
      .join(";"),
};

const USB: Kind = {
  slot: "usb",
  setting: "usb",
  devices: ({ node }) => node.usb,
  beside: () => ({}),
  address: (text) => text.toLowerCase().replaceAll("0x", ""),
};

/** "mapping rtx4090, pcie" */
function inWords(kind: Kind, value: Properties): string {
  const { mapping, host } = value;
  const device = mapping === undefined ? kind.address(host ?? "") : `mapping ${mapping}`;
  return isOn(value.pcie) ? `${device}, pcie` : device;
}

const isRaw = (text: string | undefined) => text !== undefined && readProperties(text, "host").mapping === undefined;

function wantedValue(kind: Kind, spec: MachineSpec, device: HostDevice): Properties {
  const which: Properties = "mapping" in device ? { mapping: device.mapping } : { host: device.raw };
  return { ...which, ...kind.beside(spec) };
}

function item(kind: Kind, spec: MachineSpec, device: HostDevice, at: number): FieldItem {
  const option = `${kind.slot}${at}`;
  const wanted = wantedValue(kind, spec, device);
  return {
    path: option,
    setting: ["nodes", spec.node.name, kind.setting, at],
    read: (options) => (options[option] === undefined ? "none" : inWords(kind, readProperties(options[option], "host"))),
    want: inWords(kind, wanted),
    send: (now: VmOptions) => {
      const { mapping: _, host: __, pcie: ___, ...kept } = readProperties(now[option], "host");
      return { set: { [option]: printProperties({ ...wanted, ...kept }, "host") } };
    },
    rootOnly: (now) => isRaw(now[option]) && "mapping" in device,
  };
}

function items(kind: Kind): MachineField["items"] {
  return (spec, now) => {
    const wanted = kind.devices(spec);
    const tooMany = new RegExp(`^${kind.slot}\\d+$`);
    return [
      ...wanted.map((device, at) => item(kind, spec, device, at)),
      ...absent(
        tooMany,
        now,
        (option, value) =>
          Number(option.slice(kind.slot.length)) < wanted.length ? undefined : inWords(kind, readProperties(value, "host")),
        isRaw,
      ),
    ];
  };
}

export const DEVICE_FIELDS: readonly MachineField[] = [
  {
    name: "pci devices",
    config: "nodes[].pci",
    readsBack: "hostpci0, hostpci1 …: `mapping=ID,pcie=1` or `0000:01:00,pcie=1`; matched by slot, and surplus ones are removed",
    takesEffect: "restart",
    items: items(PCI),
  },
  {
    name: "usb devices",
    config: "nodes[].usb",
    readsBack: "usb0, usb1 …: `mapping=ID` or `host=046d:c52b`; matched by slot, and surplus ones are removed",
    takesEffect: "usb",
    items: items(USB),
  },
];
