import { basename } from "node:path";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { NodeConfig } from "../../config/config.ts";
import { known, type Read } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import type { Platform } from "../../platforms/platform.ts";
import { fullConfig } from "../../talos/config/full-config.ts";
import type { SecretsBundle } from "../../talos/secrets/bundle.ts";
import { environmentId as idOf } from "../../talos/secrets/environment-id.ts";
import { wireguardKeys } from "../../talos/wireguard/keys.ts";
import { type ConfigTexts, machineConfigTexts } from "./machine-config-texts.ts";
import { readBundle } from "./secrets-bundle.ts";

/** The wanted config of every node. Known as soon as there are secrets, even before the files are written. */
export interface WantedConfigs {
  texts(c: Read): ConfigTexts;
  /** The whole config of one node. */
  of(node: NodeConfig, c: Read): string;
}

export function wantedConfigs(env: Environment, platform: Platform, redactor: Redactor): WantedConfigs {
  let made: { environment: string; configs: Configs } | undefined;
  const configs = (c: Read): Configs => {
    const environment = known(c, environmentId);
    if (made?.environment !== environment) {
      made = { environment, configs: configsFrom(env, platform, readBundle(c.world, env, redactor), redactor) };
    }
    return made.configs;
  };
  return { texts: (c) => configs(c).texts, of: (node, c) => configs(c).of(node) };
}

export interface Configs {
  texts: ConfigTexts;
  of(node: NodeConfig): string;
}

/** The wanted configs, from given secrets. */
export function configsFrom(
  env: Environment,
  platform: Pick<Platform, "mac">,
  secrets: SecretsBundle,
  redactor?: Redactor,
): Configs {
  // Derived keys, which are written only to these configs.
  for (const { name } of env.config.wireguard ? env.config.nodes : [])
    redactor?.learn(wireguardKeys(secrets, name).privateKey.reveal());
  const environment = idOf(env.config.cluster.name, secrets.cluster.id);
  const texts = machineConfigTexts(env, secrets, (node, card) => platform.mac(node, environment, card));
  const { talos } = env.config.cluster;
  const text = (path: string) => texts.get(basename(path)) ?? "";
  return {
    texts,
    of: (node) => fullConfig(text(paths.machineConfig("", node.role)), text(paths.patch("", node.name)), { ...node, talos }),
  };
}
