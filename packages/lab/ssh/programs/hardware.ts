import type { PciDevice } from "../../proxmox/state.ts";
import { look, type Program, printed } from "./program.ts";

/** As pci.ids has them. */
const CLASSES: Readonly<Record<string, string>> = {
  "0106": "SATA controller",
  "0107": "Serial Attached SCSI controller",
  "0108": "Non-Volatile memory controller",
  "0200": "Ethernet controller",
  "0300": "VGA compatible controller",
  "0302": "3D controller",
  "0403": "Audio device",
  "0600": "Host bridge",
  "0601": "ISA bridge",
  "0604": "PCI bridge",
  "0c03": "USB controller",
  "0c05": "SMBus",
};

/** `lspci`, with -D (domains), -n and -nn (numbers). */
export const lspci: Program = (started) => {
  const flags = started.args.join("");
  const line = ({ id, class: kind, vendor, device, vendorName, deviceName }: PciDevice) => {
    const slot = flags.includes("D") ? id : id.replace(/^0000:/, "");
    const code = kind.slice(0, 4);
    if (/-\w*n/.test(flags) && !flags.includes("nn")) return `${slot} ${code}: ${vendor}:${device}\n`;
    const names = `${vendorName ?? "Device"} ${deviceName ?? device}`;
    const [type, ids] = flags.includes("nn") ? [` [${code}]`, ` [${vendor}:${device}]`] : ["", ""];
    return `${slot} ${CLASSES[code] ?? "Device"}${type}: ${names}${ids}\n`;
  };
  return printed(look(started, ({ host }) => host.pci.map(line).join("")));
};

export const dmesg: Program = (started) =>
  printed(
    look(started, ({ host, system }) => {
      const intel = host.processor.vendor === "GenuineIntel";
      const lines = [
        `Command line: ${system.cmdline}`,
        ...(host.iommu
          ? intel
            ? ["DMAR: IOMMU enabled", "DMAR: Intel(R) Virtualization Technology for Directed I/O"]
            : ["AMD-Vi: Interrupt remapping enabled"]
          : []),
        ...(host.iommu ? host.pci.map((device) => `pci ${device.id}: Adding to iommu group ${device.group}`) : []),
      ];
      return lines.map((line, index) => `[    ${(index / 10).toFixed(6)}] ${line}\n`).join("");
    }),
  );
