import type { Platforms } from "../config/platform.ts";
import { PLANNED_PLATFORMS } from "./all.ts";
import { metalConfig } from "./metal/config/config.ts";
import { proxmoxConfig } from "./proxmox/config/config.ts";
import { vpsConfig } from "./vps/config/config.ts";

/** The platforms that a config may be for, in the order of `PLATFORMS`. Only commands that read a config load them. */
export const PLATFORM_CONFIGS: Platforms = {
  available: [proxmoxConfig, metalConfig, vpsConfig],
  planned: PLANNED_PLATFORMS,
};
