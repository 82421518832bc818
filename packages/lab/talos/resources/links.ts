import type { Json } from "@talosmith/lib/json.ts";
import type { LogicalLink } from "../config/links.ts";
import { machineConfig } from "../config/machine-config.ts";
import { networkConfig, networkOf } from "../machine/network.ts";
import type { Machine } from "../state.ts";

type LinkSpec = { name: string; index: number } & Record<string, Json>;

const UP = "UP,BROADCAST,RUNNING,MULTICAST,LOWER_UP";

/** The links of a machine as its kernel numbers them: the loopback is the first. */
export function linksOf(machine: Machine): LinkSpec[] {
  const aliases = Object.entries(networkOf(machine).aliases);
  const cards = machine.hardware.links.map((link, place): LinkSpec => {
    const alias = aliases.find(([, name]) => name === link.name)?.[0];
    const slot = (0x12 + place).toString(16);
    const virtio = link.driver === "virtio_net";
    return {
      name: link.name,
      ...(alias !== undefined && { alias }),
      altNames: [`enx${link.mac.replaceAll(":", "")}`],
      index: place + 2,
      type: "ether",
      flags: UP,
      hardwareAddr: link.mac,
      permanentAddr: link.mac,
      broadcastAddr: "ff:ff:ff:ff:ff:ff",
      mtu: 1500,
      queueDisc: "pfifo_fast",
      operationalState: "up",
      busPath: `0000:00:${slot}.0`,
      pciID: virtio ? "1AF4:1000" : "8086:100E",
      driver: link.driver,
      driverVersion: "1.0.0",
      productID: virtio ? "0x1000" : "0x100e",
      vendorID: virtio ? "0x1af4" : "0x8086",
      product: virtio ? "Virtio network device" : "82540EM Gigabit Ethernet Controller",
      vendor: virtio ? "Red Hat, Inc." : "Intel Corporation",
      linkState: true,
      ...(!virtio && { speedMbit: 1000 }),
      port: virtio ? "Other" : "Twisted Pair",
      duplex: virtio ? "Unknown" : "Full",
    };
  });
  const { links } = networkOf(machine);
  const made = links.map((link, place) => ({ ...logical(link, cards.length + 2 + place, cards), ...bondOf(machine, link) }));
  return [LOOPBACK, ...cards.map((card) => enslaved(card, links, made)), ...made];
}

/** Kinds of links that have ports. */
const MASTERS: readonly LogicalLink["kind"][] = ["bond", "bridge", "vrf"];

function enslaved(card: LinkSpec, links: readonly LogicalLink[], made: readonly LinkSpec[]): LinkSpec {
  const master = links.find(({ kind, over }) => MASTERS.includes(kind) && over.includes(card.name));
  const index = made.find(({ name }) => name === master?.name)?.index;
  return master && index !== undefined ? { ...card, masterIndex: index, slaveKind: master.kind, flags: `${UP},SLAVE` } : card;
}

/** A link created by the config: it has the hardware address of its port or parent. */
function logical({ name, kind, over, vlan }: LogicalLink, index: number, cards: readonly LinkSpec[]): LinkSpec {
  const below = cards.find((card) => over.includes(card.name));
  const mac = below?.hardwareAddr ?? `02:00:00:00:00:${index.toString(16).padStart(2, "0")}`;
  return {
    name,
    index,
    type: kind === "wireguard" ? "none" : "ether",
    ...(kind === "vlan" && below && { linkIndex: below.index }),
    flags: kind === "bond" ? `${UP},MASTER` : UP,
    hardwareAddr: mac,
    permanentAddr: "",
    broadcastAddr: "ff:ff:ff:ff:ff:ff",
    mtu: 1500,
    queueDisc: "noqueue",
    operationalState: "up",
    kind,
    linkState: true,
    port: "Other",
    duplex: "Unknown",
    ...(vlan !== undefined && { vlan: { vlanID: vlan, vlanProtocol: "802.1q" } }),
  };
}

function bondOf({ boot }: Machine, { kind, name }: LogicalLink): { bondMaster?: Json } {
  if (kind !== "bond") return {};
  const text = networkConfig(boot);
  const documents = text === undefined ? [] : (machineConfig(text)?.documents ?? []);
  const fields = documents.find((one) => one.kind === "BondConfig" && one.name === name)?.fields;
  const given = {
    mode: fields?.bondMode ?? "balance-rr",
    xmitHashPolicy: fields?.xmitHashPolicy ?? "layer2",
    lacpRate: fields?.lacpRate ?? "slow",
    miimon: fields?.miimon ?? 0,
  };
  return { bondMaster: { ...given, useCarrier: true } };
}

const LOOPBACK: LinkSpec = {
  name: "lo",
  index: 1,
  type: "loopback",
  flags: "UP,LOOPBACK,RUNNING,LOWER_UP",
  hardwareAddr: "00:00:00:00:00:00",
  permanentAddr: "",
  broadcastAddr: "00:00:00:00:00:00",
  mtu: 65_536,
  queueDisc: "noqueue",
  operationalState: "unknown",
  linkState: true,
  port: "Other",
  duplex: "Unknown",
};
