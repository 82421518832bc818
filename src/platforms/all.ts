import { internalError } from "@talosmith/lib/errors.ts";
import type { PlatformDefinition } from "./definition.ts";
import { metal } from "./metal/definition.ts";
import { proxmox } from "./proxmox/definition.ts";
import { vps } from "./vps/definition.ts";

/** Every platform there is, in the order in which they are named to people; examples in help texts are of the first. */
export const PLATFORMS: readonly [PlatformDefinition, ...PlatformDefinition[]] = [proxmox, metal, vps];

/** Platforms that are known and not built yet: what to do instead. */
export const PLANNED_PLATFORMS: Readonly<Record<string, string>> = {
  oci: "use proxmox, metal or vps: other platforms come in a later version",
};

/** The platform of a config. */
export function definitionOf({ platform }: { platform: string }): PlatformDefinition {
  const found = PLATFORMS.find(({ name }) => name === platform);
  if (found) return found;
  throw internalError("PLATFORM", { message: `There is no platform ${platform} in src/platforms/all.ts` });
}
