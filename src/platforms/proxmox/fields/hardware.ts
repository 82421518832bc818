import type { VmOptions } from "../client/qemu.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { isOn, printProperties, readProperties } from "../property-string.ts";
import { type FieldItem, field, flagText, type MachineField, setOrUnset, word } from "./field.ts";

/** Proxmox calls the older chipset "pc"; absent is that, too. */
const OLD_CHIPSET = "i440fx";
/** Proxmox's default display. */
const DEFAULT_DISPLAY = "std";
const CONSOLE = "socket";

const chipsetOf = (type: string | undefined) => (type === undefined || type === "pc" ? OLD_CHIPSET : type);

const restart = "restart" as const;

export const HARDWARE_FIELDS: readonly MachineField[] = [
  field(
    "machine",
    { config: "nodes[].machine", readsBack: "machine: `type=q35` as `q35`; absent is i440fx", takesEffect: restart },
    {
      read: ({ machine }) => chipsetOf(readProperties(machine, "type").type),
      want: ({ node }) => chipsetOf(node.machine),
      send: ({ node }, { machine }) => {
        const type = node.machine === OLD_CHIPSET ? "pc" : node.machine;
        return { set: { machine: printProperties({ ...readProperties(machine, "type"), type }, "type") } };
      },
    },
  ),
  word(
    "bios",
    {
      config: "nodes[].firmware",
      readsBack: "bios: the word; absent is seabios. Changing it in the config replaces the machine",
      takesEffect: restart,
    },
    "seabios",
    ({ node }) => node.firmware,
  ),
  {
    name: "efi disk",
    config: "nodes[].firmware",
    readsBack:
      "efidisk0: `STORE:vm-1-disk-0,efitype=4m,pre-enrolled-keys=0,size=4M`, later `ms-cert=…` too; looked for with ovmf only",
    takesEffect: restart,
    items: ({ node }) =>
      node.firmware === "ovmf"
        ? [presence(node, ["efi disk", "firmware"], "efidisk0", `${node.storage}:1,efitype=4m,pre-enrolled-keys=0`)]
        : [],
  },
  {
    name: "tpm",
    config: "nodes[].tpm",
    readsBack:
      "tpmstate0: `STORE:vm-1-disk-2,size=4M,version=v2.0`; its version never changes, and without `tpm: true` an existing one is kept",
    takesEffect: restart,
    items: ({ node }) => (node.tpm ? [presence(node, ["tpm", "tpm"], "tpmstate0", `${node.storage}:1,version=v2.0`)] : []),
  },
  word(
    "scsihw",
    { config: "nodes[].controller", readsBack: "scsihw: the word; absent is lsi", takesEffect: restart },
    "lsi",
    ({ node }) => (node.controller === "virtio" ? "virtio-scsi-pci" : node.controller),
  ),
  word(
    "ostype",
    { config: "always l26", readsBack: "ostype: the word; absent is other", takesEffect: restart },
    "other",
    () => "l26",
  ),
  word(
    "serial0",
    { config: "nodes[].serial", readsBack: "serial0: `socket`, a console for `qm terminal`", takesEffect: restart },
    "none",
    ({ node }) => (node.serial ? CONSOLE : undefined),
    (_, { serial0 }) => serial0 !== undefined && serial0 !== CONSOLE,
  ),
  field(
    "display",
    { config: "nodes[].display", readsBack: "vga: `type=virtio` as `virtio`; absent is std", takesEffect: restart },
    {
      read: ({ vga }) => readProperties(vga, "type").type ?? DEFAULT_DISPLAY,
      want: ({ node }) => node.display ?? DEFAULT_DISPLAY,
      send: ({ node }, { vga }) =>
        setOrUnset("vga", node.display && printProperties({ ...readProperties(vga, "type"), type: node.display }, "type")),
    },
  ),
  field(
    "guest agent",
    {
      config: "nodes[].agent, else whether its extensions have siderolabs/qemu-guest-agent",
      readsBack: "agent: `1` or `enabled=1,type=virtio`. Nothing waits for it",
      takesEffect: restart,
    },
    {
      read: ({ agent }) => isOn(readProperties(agent, "enabled").enabled),
      want: ({ guestAgent }) => guestAgent,
      send: ({ guestAgent }, { agent }) => ({
        set: { agent: printProperties({ ...readProperties(agent, "enabled"), enabled: flagText(guestAgent) }, "enabled") },
      }),
    },
  ),
];

/** A field for a small disk that exists or not. Sending its value again would allocate it again, so it is sent only when there is none. */
function presence(node: ProxmoxNodeConfig, [path, setting]: [string, string], option: string, value: string): FieldItem {
  const isThere = (options: VmOptions) => options[option] !== undefined;
  return { path, setting: ["nodes", node.name, setting], read: isThere, want: true, send: () => ({ set: { [option]: value } }) };
}
