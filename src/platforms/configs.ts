import type { Platforms } from "../config/platform.ts";
import { PLANNED_PLATFORMS, PLATFORMS } from "./all.ts";

/** The platforms that a config may be for. Only commands that read a config load them. */
export const PLATFORM_CONFIGS: Platforms = {
  available: await Promise.all(PLATFORMS.map((platform) => platform.config())),
  planned: PLANNED_PLATFORMS,
};
