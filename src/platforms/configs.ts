import type { ConfigPlatform } from "../config/platform.ts";
import { metalConfig } from "./metal/config/config.ts";
import { proxmoxConfig } from "./proxmox/config/config.ts";
import { vpsConfig } from "./vps/config/config.ts";

/** The platforms that a config may be for, in the order in which they are named to people. */
export const PLATFORM_CONFIGS: readonly ConfigPlatform[] = [proxmoxConfig, metalConfig, vpsConfig];
