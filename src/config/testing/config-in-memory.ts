import { join } from "node:path";
import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { PLATFORM_CONFIGS } from "../../platforms/configs.ts";
import { type ConfigOnMetal, isOnMetal } from "../../platforms/metal/config/config-on-metal.ts";
import { type ConfigOnProxmox, isOnProxmox } from "../../platforms/proxmox/config/config-on-proxmox.ts";
import { type ConfigOnVps, isOnVps } from "../../platforms/vps/config/config-on-vps.ts";
import type { LoadedConfig } from "../config.ts";
import { type LoadOptions, loadConfig } from "../load.ts";

export const FOLDER = "environments/homelab";
export const TOKEN = "deployer@pve!talos=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e";

export interface Trial {
  /** By path: config.yaml and what it refers to, relative to the environment's folder. */
  files?: Record<string, string | Uint8Array>;
  env?: Record<string, string>;
}

/** A good config: one control plane, two workers, one host. */
export const GOOD = `platform: proxmox
cluster:
  name: homelab
  endpoint: 10.10.0.5
  talos: v1.13.9
network:
  cidr: 10.10.0.0/24
  gateway: 10.10.0.1
proxmox:
  url: https://192.168.122.70:8006
  tls: { fingerprint: "${Array.from({ length: 32 }, () => "AB").join(":")}" }
  token: \${env:PROXMOX_TOKEN}
  hosts: [pve1]
nodes:
  - name: cp
    role: controlplane
    ip: 10.10.0.11
  - { name: worker, role: worker, count: 2, ip: 10.10.0.21 }
`;

function worldOf({ files = {}, env = { PROXMOX_TOKEN: TOKEN } }: Trial): World {
  const stored = new Map(Object.entries(files).map(([path, data]) => [path.startsWith("/") ? path : join(FOLDER, path), data]));
  const read = (path: string) => {
    const data = stored.get(path);
    return typeof data === "string" ? Buffer.from(data) : data;
  };
  const stat = (path: string) => {
    const data = read(path);
    return data && { kind: "file", size: data.length };
  };
  const refused = new Proxy({}, { get: (_, name) => expectUnused(String(name)) });
  const world = { files: { read, stat }, env: (name: string) => (Object.hasOwn(env, name) ? env[name] : undefined) };
  return new Proxy(world, { get: (target, name) => Reflect.get(target, name) ?? refused }) as unknown as World;
}

/** A good config without a hypervisor: addresses of machines that wait in maintenance mode. */
export const METAL = `platform: metal
cluster:
  name: homelab
  endpoint: 10.10.0.11
  talos: v1.13.9
network:
  cidr: 10.10.0.0/24
  gateway: 10.10.0.1
nodes:
  - name: cp
    role: controlplane
    ip: 10.10.0.11
  - { name: worker, role: worker, count: 2, ip: 10.10.0.21 }
`;

/** A good config of rented servers. */
export const VPS = `platform: vps
cluster:
  name: homelab
  endpoint: 203.0.113.11
  talos: v1.13.9
network:
  cidr: 203.0.113.0/24
  gateway: 203.0.113.1
  nameservers: [9.9.9.9]
firewall:
  admin: [198.51.100.0/24]
nodes:
  - name: cp
    role: controlplane
    ip: 203.0.113.11
  - { name: worker, role: worker, count: 2, ip: 203.0.113.21 }
`;

type Loaded<C> = Omit<LoadedConfig, "config"> & { readonly config: C };

/** Loading a config touches files and environment variables only. */
function expectUnused(name: string): never {
  throw new Error(`loading a config reached for ${name}`);
}

/** Whatever files there are. */
export function loadFolder(trial: Trial, redactor = new Redactor(), options: LoadOptions = {}): LoadedConfig {
  return loadConfig(PLATFORM_CONFIGS, worldOf(trial), FOLDER, redactor, options);
}

function loadAny(config: string | Uint8Array, trial: Trial, redactor: Redactor): LoadedConfig {
  return loadFolder({ ...trial, files: { "config.yaml": config, ...trial.files } }, redactor);
}

export function load(text: string | Uint8Array, trial: Trial = {}, redactor = new Redactor()): Loaded<ConfigOnProxmox> {
  const loaded = loadAny(text, trial, redactor);
  const { config } = loaded;
  if (!isOnProxmox(config)) throw new Error("the config was expected to be for Proxmox");
  return { ...loaded, config };
}

/** The API token of a config with a token. */
export function tokenOf({ proxmox }: ConfigOnProxmox): string {
  if (!("token" in proxmox)) throw new Error("the config was expected to have a token");
  return proxmox.token.reveal();
}

export function loadMetal(text: string, trial: Trial = {}): Loaded<ConfigOnMetal> {
  const loaded = loadAny(text, trial, new Redactor());
  const { config } = loaded;
  if (!isOnMetal(config)) throw new Error("the config was expected to be for metal");
  return { ...loaded, config };
}

export function loadVps(text: string, trial: Trial = {}, redactor = new Redactor()): Loaded<ConfigOnVps> {
  const loaded = loadAny(text, trial, redactor);
  const { config } = loaded;
  if (!isOnVps(config)) throw new Error("the config was expected to be for rented servers");
  return { ...loaded, config };
}

export function failure(config: string | Uint8Array, trial: Trial = {}, redactor = new Redactor()): TalosmithError {
  try {
    loadAny(config, trial, redactor);
  } catch (error) {
    return asTalosmithError(error);
  }
  throw new Error("the config was expected to be refused");
}

/** Each problem in one line: "17:9 nodes[0].ip is outside network.cidr". */
export function problems(config: string, trial: Trial = {}): string[] {
  return failure(config, trial).problems.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`);
}

/** The good config with some texts in it replaced, each of which must be there. */
export function changed(changes: Record<string, string>, config = GOOD): string {
  let text = config;
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`the config has no "${from}"`);
    text = text.replace(from, () => to);
  }
  return text;
}
