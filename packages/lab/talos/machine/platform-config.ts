import type { Lab } from "../../kernel/kernel.ts";
import { readDisk } from "../../rescue/disk/blocks.ts";
import { fileInIso } from "../../rescue/disk/iso9660.ts";
import { signatureOf } from "../../rescue/disk/signatures.ts";
import { partitionsOf } from "../../rescue/disk/table.ts";
import { serverNamed } from "../../rescue/state.ts";
import { readDocuments } from "../config/documents.ts";
import { ConfigRefused } from "../config/raw.ts";
import { validateDocuments } from "../config/validate.ts";
import { madeWith } from "../schematic.ts";
import type { Boot, Machine } from "../state.ts";
import { minorOf } from "../versions.ts";

export type PlatformConfig = { is: "none" } | { is: "found"; text: string } | { is: "broken"; error: string };

const VOLUME = "metal-iso";

/**
 * The config that a machine's platform provides: on the metal platform with talos.config=metal-iso, the file config.yaml of a volume with that
 * label. Talos waits for it: without such a volume, or with an invalid config, it retries forever and answers no calls (talos, platform/metal and
 * config.AcquireController).
 */
export function platformConfig(lab: Lab, machine: Machine, boot: Boot): PlatformConfig {
  const { platform, schematic, version } = boot.system;
  const [source] =
    platform === "metal" ? madeWith(lab, schematic).kernelArgs.flatMap((arg) => /^talos\.config=(.*)$/.exec(arg)?.[1] ?? []) : [];
  if (source !== VOLUME) return { is: "none" };
  const text = onVolume(lab, machine);
  if (text === undefined) {
    const match = `(volume.label in ["${VOLUME}"] || volume.partition_label in ["${VOLUME}"]) && volume.name != ""`;
    return {
      is: "broken",
      error: `error acquiring via platform metal: failed to find volume with machine configuration ${match}: file does not exist`,
    };
  }
  try {
    const documents = readDocuments(text, minorOf(version));
    validateDocuments(documents, { name: "metal", requiresInstall: true, version, disks: machine.hardware.disks });
    return { is: "found", text };
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    const before = error.stage === "load" ? "failed to load config" : "failed to validate config acquired";
    return { is: "broken", error: `${before} via platform metal: ${error.message}` };
  }
}

function onVolume(lab: Lab, { rented }: Machine): string | undefined {
  for (const disk of (rented === undefined ? undefined : serverNamed(lab, rented))?.disks ?? []) {
    for (const { name, offset, bytes } of partitionsOf(disk)) {
      const read = (start: number, length: number) =>
        readDisk(disk, offset + start, Math.max(0, Math.min(length, bytes - start)));
      const signature = signatureOf(read);
      if (!signature || (name !== VOLUME && signature.label !== VOLUME)) continue;
      return fileInIso(read, "config.yaml")?.toString("utf8");
    }
  }
  return undefined;
}
