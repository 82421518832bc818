import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { internalError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Environment } from "../../../src/environment/environment.ts";
import { openEnvironment } from "../../../src/platforms/environment.ts";
import { isOnMetal } from "../../../src/platforms/metal/config/config-on-metal.ts";
import { metalPlatform } from "../../../src/platforms/metal/platform.ts";
import type { Platform } from "../../../src/platforms/platform.ts";
import { isOnProxmox } from "../../../src/platforms/proxmox/config/config-on-proxmox.ts";
import { proxmoxPlatform } from "../../../src/platforms/proxmox/platform.ts";
import { isOnVps } from "../../../src/platforms/vps/config/config-on-vps.ts";
import { vpsPlatform } from "../../../src/platforms/vps/platform.ts";
import { readBundle } from "../../../src/steps/generate/secrets-bundle.ts";
import { configsFrom } from "../../../src/steps/generate/wanted-configs.ts";
import { talosNodes } from "../../../src/talos/api/client.ts";
import type { SecretsBundle } from "../../../src/talos/secrets/bundle.ts";
import { createSecretsBundle } from "../../../src/talos/secrets/create.ts";
import { environmentId } from "../../../src/talos/secrets/environment-id.ts";
import { printSecrets } from "../../../src/talos/secrets/print.ts";
import { soundPatches } from "../../../src/workflows/sound-patches.ts";
import { perturbed } from "./perturb.ts";

/** What the configs take from the environment. */
const VARIABLES: Record<string, string> = {
  PROXMOX_TOKEN: "deployer@pve!talos=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e",
  REGISTRY_PASSWORD: "hunter2: #!",
  DISK_PASSPHRASE: "correct horse battery staple",
};

interface Asked {
  readonly home: string;
  /** Relative to home; its last part is the configuration's name. */
  readonly folder: string;
  readonly talos: string;
  readonly contract: string;
  /** Which value of each file of ours is changed, if any. */
  readonly change: number | undefined;
}

/** A folder per Talos minor ("1.13") with environments for each contract it knows, made the way a person's are, and cases.json about them. */
async function writeCases(
  source: string,
  folder: string,
  releases: readonly string[],
  change: number | undefined,
): Promise<void> {
  const world: World = { ...realWorld(), env: (name) => VARIABLES[name] };
  const bundles = new Map<string, SecretsBundle>();
  for (const contract of releases.map(minorOf))
    bundles.set(contract, await createSecretsBundle(world, { contract, redactor: new Redactor() }));
  const names = readdirSync(source).filter((file) => file.endsWith(".yaml"));
  for (const [at, talos] of releases.entries()) {
    const home = join(folder, minorOf(talos).slice(1));
    // A Talos knows the contracts of its elders.
    const configurations = [...bundles].slice(0, at + 1).flatMap(([contract, secrets]) =>
      // The newest Talos sees all of its own contract, older ones every second, and all of them some of the contracts of their elders.
      names
        .filter(
          (_, n) =>
            process.env.FULL !== undefined || n % (contract !== minorOf(talos) ? 6 : at === releases.length - 1 ? 1 : 2) === 0,
        )
        .map((name) => {
          const asked = { home, folder: join(contract, basename(name, ".yaml")), talos, contract, change };
          prepare(asked, source, secrets);
          return made(world, asked);
        }),
    );
    writeFileSync(join(home, "cases.json"), JSON.stringify({ configurations }));
  }
}

/** What a person has: config.yaml, secrets.yaml, and the files the config names. */
function prepare({ home, folder, talos, contract }: Asked, source: string, secrets: SecretsBundle): void {
  const environment = join(home, folder);
  mkdirSync(environment, { recursive: true });
  cpSync(join(source, "patches"), join(environment, "patches"), { recursive: true });
  const words: [string, string][] = [
    ["v1.13.9", talos],
    ["contract: v1.13\n", `contract: ${contract}\n`],
    ["-sections.yaml", contract === "v1.14" ? "-documents.yaml" : "-sections.yaml"],
  ];
  const written = readFileSync(join(source, `${basename(folder)}.yaml`), "utf8");
  const config = words.reduce((text, [from, to]) => text.replaceAll(from, to), written);
  const write = (file: string, text: string) => writeFileSync(join(environment, file), text, { mode: 0o600 });
  write("config.yaml", config);
  write("secrets.yaml", printSecrets(secrets));
  write("registry-ca.pem", secrets.certs.k8s.certificate);
}

/** What we make of it, in files. The judge reads config.yaml itself; only network cards that we have made up must be told. */
function made(world: World, { home, folder, change }: Asked): object {
  const environment = join(home, folder);
  const redactor = new Redactor();
  const env = openEnvironment(world, environment, redactor);
  expectNoWarnings(env);
  // What Talos takes must not be refused by us either.
  soundPatches(env);
  const secrets = readBundle(world, env, redactor);
  const platform = platformOf(world, env, secrets);
  const { files, of } = configsFrom(env, platform, secrets);
  const write = (file: string, text: string) =>
    writeFileSync(join(environment, file), change === undefined ? text : perturbed(text, join(folder, file), change), {
      mode: 0o600,
    });
  const { cluster, nodes } = env.config;
  for (const [file, { text }] of files()) if (["controlplane.yaml", "worker.yaml"].includes(file)) write(file, text);
  for (const node of nodes) write(`full-${node.name}.yaml`, of(node).text);
  const id = environmentId(cluster.name, secrets.cluster.id);
  const macs = Object.fromEntries(nodes.map(({ name }) => [name, platform.mac(name, id, 0)]));
  platform.close();
  return { folder, variables: VARIABLES, macs };
}

function platformOf(world: World, env: Environment, secrets: SecretsBundle): Platform {
  const { config } = env;
  const talos = talosNodes(world, () => secrets);
  if (isOnProxmox(config)) return proxmoxPlatform(world, { ...env, config }, talos);
  if (isOnMetal(config)) return metalPlatform({ ...env, config }, talos);
  if (isOnVps(config)) return vpsPlatform(world, { ...env, config }, talos);
  throw internalError("NO_PLATFORM", { message: `unknown platform ${config.platform}` });
}

function expectNoWarnings({ warnings, folder }: Environment): void {
  if (warnings.length > 0) throw new Error(`${folder}: ${warnings.map(({ message }) => message).join("\n")}`);
}

function minorOf(release: string): string {
  return release.replace(/\.\d+$/, "");
}

const [, , source, folder, releases, change] = process.argv;
if (source === undefined || folder === undefined || releases === undefined)
  throw new Error("usage: write CONFIGS FOLDER RELEASES [CHANGE]");
await writeCases(source, folder, releases.split(","), change === undefined ? undefined : Number(change));
