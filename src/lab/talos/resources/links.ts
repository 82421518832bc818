import { networkOf } from "../machine/network.ts";
import type { Machine } from "../state.ts";

type LinkSpec = { name: string; index: number } & Record<string, string | number | boolean | string[]>;

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
  const made = networkOf(machine).links.map((link, place): LinkSpec => {
    const below = cards.find((card) => link.over.includes(card.name));
    const mac = typeof below?.hardwareAddr === "string" ? below.hardwareAddr : "02:00:00:00:00:01";
    return {
      name: link.name,
      index: cards.length + 2 + place,
      type: link.kind === "wireguard" ? "none" : "ether",
      flags: UP,
      hardwareAddr: mac,
      broadcastAddr: "ff:ff:ff:ff:ff:ff",
      mtu: 1500,
      queueDisc: "noqueue",
      operationalState: "up",
      kind: link.kind,
      linkState: true,
      port: "Other",
      duplex: "Unknown",
    };
  });
  return [LOOPBACK, ...cards, ...made];
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
