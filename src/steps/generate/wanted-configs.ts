import { basename } from "node:path";
import type { NodeConfig } from "../../config/config.ts";
import { known, type Read } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import type { Redactor } from "../../lib/secret.ts";
import type { Platform } from "../../platforms/platform.ts";
import { fullConfig } from "../../talos/config/full-config.ts";
import { type ConfigTexts, machineConfigTexts } from "./machine-config-texts.ts";
import { readBundle } from "./secrets-bundle.ts";

/** What every node should be told. Known as soon as there are secrets, whether or not it has been written down. */
export interface WantedConfigs {
  texts(c: Read): ConfigTexts;
  /** The whole config of one node. */
  of(node: NodeConfig, c: Read): string;
}

export function wantedConfigs(env: Environment, platform: Platform, redactor: Redactor): WantedConfigs {
  let made: { environment: string; texts: ConfigTexts } | undefined;
  const texts = (c: Read): ConfigTexts => {
    const environment = known(c, environmentId);
    if (made?.environment !== environment) {
      const bundle = readBundle(c.world, env, redactor);
      made = { environment, texts: machineConfigTexts(env, bundle, (node) => platform.mac(node, environment)) };
    }
    return made.texts;
  };
  return {
    texts,
    of: ({ name, role }, c) => {
      const text = (path: string) => texts(c).get(basename(path)) ?? "";
      return fullConfig(text(paths.machineConfig("", role)), text(paths.patch("", name)));
    },
  };
}
