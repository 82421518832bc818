import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { HostDevice, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { spread } from "../spread.ts";
import type { PciDevice, Survey } from "./survey.ts";
import type { DeviceChoice, HostWish } from "./wish.ts";

/** A mapping of the config, with its device on each host that needs it. */
export interface MappingWish {
  kind: "pci" | "usb";
  name: string;
  /** Nodes that use it. */
  nodes: readonly string[];
  /** By host: a device's address or id; undefined when no flag names it and there is more than one candidate. */
  devices: ReadonlyMap<string, string | undefined>;
  /** Hosts whose device a flag names, which replaces a different one in the mapping. */
  named: ReadonlySet<string>;
}

const GRAPHICS = /^03/;
/** Graphics cards and accelerators, but not the graphics of the mainboard (ASPEED, Matrox). */
const isCard = ({ class: kind, vendor }: PciDevice) => /^(03|12)/.test(kind) && !/^(1a03|102b)$/.test(vendor);
const VENDORS: Readonly<Record<string, string>> = { nvidia: "10de" };

/** All mappings of the config, with the devices that flags name, or the only possible ones. */
export function mappingWishes({ config }: ProxmoxEnvironment, wish: HostWish, survey: Survey): MappingWish[] {
  const homes = spread(config.nodes, config.proxmox.hosts);
  return (["pci", "usb"] as const).flatMap((kind) => {
    const users = new Map<string, ProxmoxNodeConfig[]>();
    for (const node of config.nodes) for (const name of namesOf(node[kind])) users.set(name, [...(users.get(name) ?? []), node]);
    const choices = wish[kind];
    requireUsed(choices, users, kind);
    return [...users].map(([name, nodes]): MappingWish => {
      const said = choices.filter((choice) => choice.mapping === name);
      const hosts = new Set([...nodes.map((node) => homes.get(node.name) ?? ""), ...said.map(({ host }) => host)]);
      const devices = [...hosts].sort().map((host): [string, string | undefined] => {
        const given = said.find((choice) => choice.host === host);
        if (given) return [host, existing(given, kind, survey)];
        return [host, kind === "pci" ? obvious(nodes, survey.pci.get(host) ?? []) : undefined];
      });
      return {
        kind,
        name,
        nodes: nodes.map((node) => node.name),
        devices: new Map(devices),
        named: new Set(said.map(({ host }) => host)),
      };
    });
  });
}

function namesOf(devices: readonly HostDevice[]): string[] {
  return devices.flatMap((device) => ("mapping" in device ? [device.mapping] : []));
}

/** The only candidate: a node needs a GPU of a vendor and its host has exactly one. Returns the whole card, with all its functions. */
function obvious(nodes: readonly ProxmoxNodeConfig[], devices: readonly PciDevice[]): string | undefined {
  const vendor = nodes.map((node) => VENDORS[node.gpu?.split("-")[0] ?? ""]).find((one) => one !== undefined);
  const cards = devices.filter((device) => device.vendor === vendor && GRAPHICS.test(device.class));
  const [only] = cards;
  return cards.length === 1 && only ? only.id.replace(/\.\d$/, "") : undefined;
}

/** A function of a card, or all of them. */
export function functionsAt(address: string, devices: readonly PciDevice[]): PciDevice[] {
  return devices.filter(({ id }) => id === address || id.startsWith(`${address}.`));
}

function existing(choice: DeviceChoice, kind: "pci" | "usb", survey: Survey): string {
  const { host, device } = choice;
  const pci = survey.pci.get(host);
  const usb = survey.usb.get(host);
  const known = kind === "pci" ? pci : usb;
  if (!known) throw wrongDevice(choice, kind, `the config gives no node on ${host} a ${kind.toUpperCase()} device`);
  const there = kind === "pci" ? functionsAt(device, pci ?? []).length > 0 : usb?.some(({ id }) => id === device);
  if (there) return device;
  throw wrongDevice(choice, kind, `${host} has no ${kind.toUpperCase()} device ${device}`, survey);
}

function requireUsed(choices: readonly DeviceChoice[], users: ReadonlyMap<string, unknown>, kind: "pci" | "usb"): void {
  const stray = choices.find((choice) => !users.has(choice.mapping));
  if (stray) throw wrongDevice(stray, kind, `no node of the config has ${kind}: [{ mapping: ${stray.mapping} }]`);
}

/** Lists a host's devices for the user to choose from. */
export function candidates(kind: "pci" | "usb", host: string, survey: Survey): string {
  const lines = offered(kind, host, survey).map(({ line }) => line);
  return lines.length === 0 ? `${host} has none` : `${host} has:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** The most devices that a hint offers. */
const FEW = 5;

/** The flag for each device that the host has, graphics cards and accelerators alone if it has some. */
export function chooseHint(kind: "pci" | "usb", mapping: string, host: string, survey: Survey, nodes: readonly string[]): string {
  const all = offered(kind, host, survey);
  const cards = all.filter((one) => one.isCard);
  const ids = [...new Set((cards.length > 0 ? cards : all).map(({ id }) => id))].slice(0, FEW);
  if (ids.length > 0) return `choose one:\n${ids.map((id) => `--${kind} ${mapping}=${host}:${id}`).join("\n")}`;
  return `plug one in, or place ${nodes.join(", ") || "the node"} on a host that has one (host:)`;
}

interface Offered {
  /** A whole card, with all its functions, or a function. */
  id: string;
  line: string;
  isCard: boolean;
}

/** The devices of a host apart from bridges and hubs, which belong to it. */
function offered(kind: "pci" | "usb", host: string, { pci, usb }: Survey): Offered[] {
  if (kind === "usb")
    return (usb.get(host) ?? [])
      .filter(({ id }) => !id.startsWith("1d6b:"))
      .map(({ id, name }) => ({ id, line: `${id}  ${name}`, isCard: false }));
  return (pci.get(host) ?? [])
    .filter((device) => !/^06/.test(device.class))
    .map((device) => {
      const whole = isCard(device);
      const line = `${device.id}  ${device.name} [${device.vendor}:${device.device}]`;
      return { id: whole ? device.id.replace(/\.\d$/, "") : device.id, line, isCard: whole };
    });
}

/** `survey`: for a device that the host does not have, to name those that it has. */
function wrongDevice(choice: DeviceChoice, kind: "pci" | "usb", why: string, survey?: Survey): TalosmithError {
  const { mapping, host, device } = choice;
  return userError("NO_SUCH_DEVICE", {
    message: `Unable to use --${kind} ${mapping}=${host}:${device}: ${why}`,
    ...(survey && { detail: candidates(kind, host, survey) }),
    hint: `${survey ? chooseHint(kind, mapping, host, survey, []) : "correct the flag"}\nNothing was changed.`,
  });
}
