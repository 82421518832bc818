import { isImageFile } from "../../talos/image/image.ts";
import type { VmOptions } from "./client/qemu.ts";
import { readProperties } from "./property-string.ts";

/** The drive with the ISO that Talos installs itself from (image.method: iso). */
export const ISO_DRIVE = "ide0";

/** The ISO in that drive, if it is a Talos ISO of talosmith's; other media are ignored. */
export function installationIso(options: VmOptions): string | undefined {
  const { file } = readProperties(options[ISO_DRIVE], "file");
  const [, name] = file?.split(":iso/") ?? [];
  return name !== undefined && isImageFile(name) ? file : undefined;
}
