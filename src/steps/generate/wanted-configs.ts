import { basename } from "node:path";
import { onceEach } from "@talosmith/lib/once-each.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { NodeConfig } from "../../config/config.ts";
import { known, type Read } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import type { Platform } from "../../platforms/platform.ts";
import { fullConfig } from "../../talos/config/full-config.ts";
import type { MachineConfig } from "../../talos/config/machine-config.ts";
import type { SecretsBundle } from "../../talos/secrets/bundle.ts";
import { environmentId as idOf } from "../../talos/secrets/environment-id.ts";
import { wireguardKeys } from "../../talos/wireguard/keys.ts";
import { configParts } from "./config-parts.ts";
import { readBundle } from "./secrets-bundle.ts";

/** File name → content. */
export type ConfigFiles = ReadonlyMap<string, MachineConfig>;

/** The wanted config of every node. Known as soon as there are secrets, even before the files are written. */
export interface WantedConfigs {
  files(c: Read): ConfigFiles;
  /** The whole config of one node. */
  of(node: NodeConfig, c: Read): MachineConfig;
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
  return { files: (c) => configs(c).files(), of: (node, c) => configs(c).of(node) };
}

export interface Configs {
  files(): ConfigFiles;
  of(node: NodeConfig): MachineConfig;
}

/** The wanted configs, from given secrets. Each is made when it is first needed, and kept. */
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
  const { base, patch } = configParts(env, secrets, (node, card) => platform.mac(node, environment, card));
  const { cluster, nodes } = env.config;
  return {
    files: () =>
      new Map(
        (["controlplane", "worker"] as const).flatMap((role): [string, MachineConfig][] => [
          [basename(paths.machineConfig("", role)), base(role)],
          ...nodes
            .filter((node) => node.role === role)
            .map((node): [string, MachineConfig] => [basename(paths.patch("", node.name)), patch(node)]),
        ]),
      ),
    of: onceEach((node) => fullConfig(base(node.role), patch(node), { ...node, talos: cluster.talos })),
  };
}
