import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { LoadOptions } from "../config/load.ts";
import { type Environment, openEnvironmentOn } from "../environment/environment.ts";
import { PLATFORM_CONFIGS } from "./configs.ts";

/** Opens an environment on any of the platforms. */
export function openEnvironment(
  world: World,
  folder: string,
  redactor: Redactor,
  options: Pick<LoadOptions, "withoutLogin"> = {},
): Environment {
  return openEnvironmentOn(PLATFORM_CONFIGS, world, folder, redactor, options);
}
