import { internalError } from "@talosmith/lib/errors.ts";
import type { PlatformDefinition } from "./definition.ts";
import { metal } from "./metal/definition.ts";
import { proxmox } from "./proxmox/definition.ts";
import { vps } from "./vps/definition.ts";

/** All platforms, in the order in which messages list them; examples in help texts are for the first. */
export const PLATFORMS: readonly [PlatformDefinition, ...PlatformDefinition[]] = [proxmox, metal, vps];

/** Platforms that are planned but not available yet, each with what to do instead. */
export const PLANNED_PLATFORMS: Readonly<Record<string, string>> = {
  oci: "use proxmox, metal or vps: other platforms come in a later version",
};

/** Returns the platform of a config. */
export function definitionOf({ platform }: { platform: string }): PlatformDefinition {
  const found = PLATFORMS.find(({ name }) => name === platform);
  if (found) return found;
  throw internalError("PLATFORM", { message: `There is no platform ${platform} in src/platforms/all.ts` });
}
