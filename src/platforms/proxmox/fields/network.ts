import type { Json } from "@talosmith/lib/json.ts";
import type { ConfigPath } from "../../../config/config.ts";
import type { VmOptions } from "../client/qemu.ts";
import type { ProxmoxNicConfig } from "../config/config-on-proxmox.ts";
import { macFor } from "../identity.ts";
import type { MachineSpec } from "../machine.ts";
import { isOn, type NetworkCard, printNetworkCard, readNetworkCard } from "../property-string.ts";
import { absent } from "./absent.ts";
import type { MachineField } from "./field.ts";

const MODEL = "virtio";
const CARDS = 32;

/** A network card as configured. Properties that the config does not contain (a rate, an MTU) are kept. */
interface WantedCard extends Partial<Pick<ProxmoxNicConfig, "queues" | "firewall">> {
  readonly option: string;
  /** The prefix of its field names: empty for the first card, "net1 " for the second. */
  readonly prefix: string;
  /** Its setting in the config: the node, or an entry of its nics. */
  readonly setting: ConfigPath;
  readonly mac: string;
  readonly bridge: string;
  readonly vlan?: number;
}

export function cardsOf({ node, macs }: MachineSpec): WantedCard[] {
  const { bridge, vlan } = node;
  const setting = ["nodes", node.name];
  const first = { option: "net0", prefix: "", setting, mac: macs[0] ?? "", bridge, ...(vlan !== undefined && { vlan }) };
  const more = node.nics.map((nic, at) => ({
    ...nic,
    option: `net${at + 1}`,
    prefix: `net${at + 1} `,
    setting: [...setting, "nics", at],
    mac: macs[at + 1] ?? "",
  }));
  return [first, ...more];
}

/** Whether a MAC is derived for a card of this node, even for a card that is no longer in the config. */
export function isOurMac({ environment, node }: MachineSpec, mac: string): boolean {
  return Array.from({ length: CARDS }, (_, card) => macFor(environment, node.name, card)).includes(mac);
}

function cardText(card: WantedCard, now: VmOptions): string {
  const { tag: _, ...kept } = readNetworkCard(now[card.option]).rest;
  const rest: Record<string, string> = {
    ...kept,
    bridge: card.bridge,
    ...(card.vlan !== undefined && { tag: String(card.vlan) }),
  };
  if (card.firewall !== undefined) {
    delete rest.firewall;
    delete rest.queues;
    if (card.firewall) rest.firewall = "1";
    if (card.queues !== undefined) rest.queues = String(card.queues);
  }
  const wanted: NetworkCard = { model: MODEL, mac: card.mac, rest };
  return printNetworkCard(wanted);
}

function cardField(
  name: string,
  about: Pick<MachineField, "config" | "readsBack">,
  read: (card: NetworkCard) => Json,
  want: (card: WantedCard) => Json,
  which: (card: WantedCard) => boolean = () => true,
): MachineField {
  return {
    name,
    ...about,
    takesEffect: "network",
    items: (spec) =>
      cardsOf(spec)
        .filter(which)
        .map((card) => ({
          path: `${card.prefix}${name}`,
          ...(about.config.startsWith("nodes[]") || about.config.startsWith("nics[]")
            ? { setting: [...card.setting, name] }
            : {}),
          read: (options: VmOptions) =>
            options[card.option] === undefined ? "none" : read(readNetworkCard(options[card.option])),
          want: want(card),
          // Proxmox would generate a new MAC for a value without one, so the whole value is sent.
          send: (now: VmOptions) => ({ set: { [card.option]: cardText(card, now) } }),
        })),
  };
}

const number = (text: string | undefined) => Number(text ?? 0) || "none";

export const NETWORK_FIELDS: readonly MachineField[] = [
  cardField(
    "mac",
    { config: "nodes[].mac and nics[].mac, else derived", readsBack: "net0, net1 …: `virtio=BC:24:11:…`, upper case" },
    ({ mac }) => mac,
    ({ mac }) => mac,
  ),
  cardField(
    "card",
    { config: `always ${MODEL}`, readsBack: "net0, net1 …: the name before the MAC" },
    ({ model }) => model,
    () => MODEL,
  ),
  cardField(
    "bridge",
    { config: "nodes[].bridge, nics[].bridge", readsBack: "net0, net1 …: `bridge=vmbr0`; other options in the value are kept" },
    ({ rest }) => rest.bridge ?? "none",
    ({ bridge }) => bridge,
  ),
  cardField(
    "vlan",
    { config: "nodes[].vlan, nics[].vlan", readsBack: "net0, net1 …: `tag=7`, and `tag=007` is the same" },
    ({ rest }) => number(rest.tag),
    ({ vlan }) => vlan ?? "none",
  ),
  cardField(
    "queues",
    { config: "nics[].queues", readsBack: "net1 …: `queues=4`" },
    ({ rest }) => number(rest.queues),
    ({ queues }) => queues ?? "none",
    ({ firewall }) => firewall !== undefined,
  ),
  cardField(
    "firewall",
    { config: "nics[].firewall", readsBack: "net1 …: `firewall=1`" },
    ({ rest }) => isOn(rest.firewall),
    ({ firewall }) => firewall ?? false,
    ({ firewall }) => firewall !== undefined,
  ),
  {
    name: "cards too many",
    config: "nodes[].nics",
    readsBack: "net1 …: a card with a derived MAC that is no longer in the config is removed; other cards are kept",
    takesEffect: "network",
    items: (spec, now) => {
      const wanted = new Set(cardsOf(spec).map(({ option }) => option));
      return absent(/^net\d+$/, now, (option, value) => {
        const { mac } = readNetworkCard(value);
        return wanted.has(option) || !isOurMac(spec, mac) ? undefined : mac;
      });
    },
  },
];
