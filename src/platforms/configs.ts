import type { Platforms } from "../config/platform.ts";
import { metalConfig } from "./metal/config/config.ts";
import { proxmoxConfig } from "./proxmox/config/config.ts";
import { vpsConfig } from "./vps/config/config.ts";

/** The platforms that a config may be for. */
export const PLATFORM_CONFIGS: Platforms = {
  available: [proxmoxConfig, metalConfig, vpsConfig],
  planned: { oci: "use proxmox, metal or vps: other platforms come in a later version" },
};
