import type { ConfigPlatform } from "../../../config/platform.ts";

export const vpsConfig: ConfigPlatform = { name: "vps" };
