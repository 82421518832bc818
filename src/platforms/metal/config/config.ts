import type { ConfigPlatform } from "../../../config/platform.ts";

export const metalConfig: ConfigPlatform = { name: "metal" };
