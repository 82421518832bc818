import type { HostShape, LabDoor, LabShape, StorageShape } from "../lab.ts";
import type { ConfigOnProxmox, HostDevice, ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { spread } from "./spread.ts";

/** Memory and processors that a host has at least, and memory beside that of its machines. */
const LEAST_MEMORY_GIB = 48;
const LEAST_CPUS = 16;
const SPARE_GIB = 16;

/** The Proxmox cluster that a config describes, with room for everything it asks for, also for nodes that are added or replaced. */
export function labShape({ proxmox, network, nodes }: ConfigOnProxmox): LabShape {
  const { hostname, port } = new URL(proxmox.url);
  const names = [...new Set([...proxmox.hosts, ...nodes.flatMap(({ host }) => host ?? [])])];
  const homes = spread(nodes, proxmox.hosts);
  const ssh: LabDoor[] = network.ssh ? [{ host: network.ssh.host, port: network.ssh.port, service: "ssh" }] : [];
  const devices = mapped(nodes);
  return {
    doors: [{ host: unbracketed(hostname), port: port === "" ? 443 : Number(port), service: "proxmox" }, ...ssh],
    proxmox: {
      hosts: names.map((name) => hostShape(name, nodes, (node) => homes.get(node.name) === name)),
      storages: storages(proxmox.storage.images, nodes),
      bridges: [...new Set([proxmox.bridge, ...nodes.flatMap(({ bridge, nics }) => [bridge, ...nics.map((nic) => nic.bridge)])])],
      pools: [...new Set(nodes.flatMap(({ pool }) => pool ?? []))],
      mappings: devices,
    },
  };
}

/** Any host may get the machines of another one that is lost. */
function hostShape(name: string, nodes: readonly ProxmoxNodeConfig[], isHere: (node: ProxmoxNodeConfig) => boolean): HostShape {
  const memory = sum(nodes.map((node) => node.memory)) / 1024;
  const here = nodes.filter(isHere);
  return {
    name,
    cpus: Math.max(LEAST_CPUS, ...nodes.map(({ cores, sockets }) => cores * sockets)),
    memoryGiB: Math.max(LEAST_MEMORY_GIB, Math.ceil(2 * memory) + SPARE_GIB),
    cards: [...new Set(here.flatMap(({ pci }) => pci.flatMap(raw)))],
    usb: [...new Set(here.flatMap(({ usb }) => usb.flatMap(raw)))],
  };
}

function raw(device: HostDevice): string[] {
  return "raw" in device ? [device.raw] : [];
}

/** Each storage with twice the space that the nodes need of it. */
function storages(images: string, nodes: readonly ProxmoxNodeConfig[]): StorageShape[] {
  const disks = nodes.flatMap((node) => [{ storage: node.storage, size: node.disk }, ...node.disks]);
  return [...new Set([images, ...disks.map(({ storage }) => storage)])].map((name) => {
    const own = disks.filter(({ storage }) => storage === name);
    return {
      name,
      holds: name !== images ? "disks" : own.length === 0 ? "images" : "both",
      sizeGiB: 200 + 2 * sum(own.map(({ size }) => size)),
    };
  });
}

function mapped(nodes: readonly ProxmoxNodeConfig[]): NonNullable<LabShape["proxmox"]>["mappings"] {
  return (["pci", "usb"] as const).flatMap((kind) => {
    const named = nodes.flatMap((node) => node[kind].flatMap((device) => ("mapping" in device ? [device.mapping] : [])));
    return [...new Set(named)].map((name) => ({ kind, name, count: named.filter((one) => one === name).length }));
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** An IPv6 address as it is dialled: a URL has it in brackets. */
const unbracketed = (host: string) => host.replace(/^\[|\]$/g, "");
