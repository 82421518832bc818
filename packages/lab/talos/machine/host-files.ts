import type { Lab } from "../../kernel/kernel.ts";
import { madeWith } from "../schematic.ts";
import type { Boot, Machine } from "../state.ts";
import { loadedModules, nvidiaDriver } from "./modules.ts";

const ISCSI_TOOLS = "siderolabs/iscsi-tools";

/** The machine's files that programs in pods read: cards, drivers and programs of extensions. */
export function hostFiles(lab: Lab, machine: Machine, boot: Boot): Record<string, string> {
  const cards = machine.hardware.pci ?? [];
  const files: Record<string, string> = { "/etc/os-release": `NAME="Talos"\nID=talos\nVERSION_ID=${boot.system.version}\n` };
  for (const [at, { vendor, class: kind }] of cards.entries()) {
    const folder = `/sys/bus/pci/devices/0000:${(at + 1).toString(16).padStart(2, "0")}:00.0`;
    files[`${folder}/vendor`] = `0x${vendor}\n`;
    files[`${folder}/class`] = `0x${kind}\n`;
  }
  if (madeWith(lab, boot.system.schematic).extensions.includes(ISCSI_TOOLS)) files["/proc/1843/comm"] = "iscsid\n";
  const loaded = loadedModules(lab, machine, boot).some(({ name }) => name === "nvidia");
  if (nvidiaDriver(lab, machine, boot) === undefined || !loaded) return files;
  files["/usr/local/bin/nvidia-smi"] = "";
  const displays = cards.filter(({ vendor, class: kind }) => vendor === "10de" && kind.startsWith("03"));
  for (const at of displays.keys()) files[`/dev/nvidia${at}`] = "";
  return files;
}
