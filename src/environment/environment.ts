import { resolve } from "node:path";
import { userError, type Where } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Config, ConfigPath, Warning } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import type { Platforms } from "../config/platform.ts";
import type { PendingUpgrade } from "../engine/result.ts";
import type { Ref } from "../engine/step.ts";

/** A folder with its config, validated, defaulted and frozen: the input of every workflow. */
export interface Environment<C extends Config = Config> {
  /** Absolute. */
  readonly folder: string;
  /** The path as the user typed it, for messages and suggested commands. */
  readonly shown: string;
  readonly config: C;
  readonly warnings: readonly Warning[];
  where(path: ConfigPath): Where | undefined;
  /** Set when nodes run other releases or images than the config says: then `config` has the running releases. */
  readonly upgrade?: PendingUpgrade;
  /** The value of the login's secret when it is only a reference: "${file:token}". */
  readonly tokenReference?: string;
}

/** The id that marks this environment's objects. Known once secrets.yaml exists; an output of the step that creates it. */
export const environmentId: Ref<string> = { step: "generate/secrets" };

/** The folder's absolute path; the folder must exist. */
export function environmentFolder(world: World, folder: string): string {
  const absolute = resolve(folder);
  if (world.files.stat(absolute)?.kind === "folder") return absolute;
  throw userError("NO_ENVIRONMENT", {
    message: `There is no environment folder ${folder}`,
    hint: `make one:  ${ownCommand("init", "PLATFORM", folder)}  (${ownCommand("init", "--help")} names the platforms)`,
  });
}

/** `platforms`: those a config may be for. `withoutLogin`: for the command that creates the login, see LoadOptions. */
export function openEnvironmentOn(
  platforms: Platforms,
  world: World,
  folder: string,
  redactor: Redactor,
  options: { readonly withoutLogin?: boolean } = {},
): Environment {
  const absolute = environmentFolder(world, folder);
  return { folder: absolute, shown: folder, ...loadConfig(platforms, world, folder, redactor, options) };
}
