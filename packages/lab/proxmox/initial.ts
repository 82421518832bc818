import { internalError, userError } from "@talosmith/lib/errors.ts";
import type { Lab } from "../kernel/kernel.ts";
import { ROOT } from "./access/acl.ts";
import { deployerPrivileges } from "./access/roles.ts";
import { pciDevices, usbDevices } from "./devices/catalogue.ts";
import { DEFAULT_VERSION, fullVersion, releaseOf } from "./release.ts";
import type { Bridge, Host, ProxmoxState, StorageDefinition } from "./state.ts";
import { type LabStorage, labStorage } from "./storage/lab-storage.ts";
import { newUuid } from "./vm/identity.ts";

const GiB = 1024 ** 3;
/** The router of the lab's network, which answers for names, too. */
const GATEWAY = 250;

/** What a lab may ask for instead of the usual cluster. */
export interface ProxmoxOptions {
  /** Of pve-manager; of a line alone ("8.4") its last. */
  version?: string;
  hosts?: readonly string[];
  cpus?: number;
  /** Of each host. */
  memoryGiB?: number;
  /** "vmbr0" lets VLANs through, "vmbr1,plain" does not. */
  bridges?: readonly string[];
  /** Cards in hosts, by the host's name: { pve2: ["nvidia rtx 4090"] }. */
  gpus?: Readonly<Record<string, readonly string[]>>;
  /** Whether hosts can give devices away; true when absent. */
  iommu?: boolean;
  /** Of local-lvm on each host. */
  disksGiB?: number;
  rootPassword?: string;
  /** Besides local and local-lvm. */
  storages?: readonly LabStorage[];
}

export const CLIENT = "talosmith@pve";
export const CLIENT_TOKEN = "lab";
const CLIENT_ROLE = "TalosmithDeploy";
const ROOT_PASSWORD = "proxmox-lab";

/** A fresh installation of three hosts in one cluster, with somebody who may build on it. */
export function initialState(lab: Lab, options: ProxmoxOptions): ProxmoxState {
  const version = fullVersion(options.version ?? DEFAULT_VERSION);
  if (version === undefined) throw internalError("LAB_PROXMOX", { message: `Unable to play Proxmox VE ${options.version}` });
  const stranger = Object.keys(options.gpus ?? {}).find((name) => !namesOf(options).includes(name));
  if (stranger !== undefined)
    throw userError("LAB_PROXMOX", {
      message: `Unable to put a card into ${stranger}`,
      hint: `there is no such host: choose among ${namesOf(options).join(", ")}`,
    });
  return {
    version,
    clusterName: "lab",
    hosts: hosts(lab, options),
    access: {
      users: {
        [ROOT]: { enable: true, expire: 0, password: options.rootPassword ?? ROOT_PASSWORD, tokens: {} },
        [CLIENT]: {
          enable: true,
          expire: 0,
          tokens: { [CLIENT_TOKEN]: { secret: newUuid(lab, "client token"), privsep: false, expire: 0 } },
        },
      },
      groups: {},
      roles: { [CLIENT_ROLE]: [...deployerPrivileges({ version })] },
      acl: [{ path: "/", kind: "user", id: CLIENT, role: CLIENT_ROLE, propagate: true }],
      realms: {},
    },
    ticketKey: newUuid(lab, "ticket key"),
    quorate: true,
    options: { keyboard: "en-us" },
    mappings: { pci: {}, usb: {}, dir: {} },
    ha: { resources: {}, groups: {}, rules: {} },
    sdn: { zones: {}, vnets: {} },
    storages: storages(version, options),
    volumes: [],
    contents: {},
    vms: {},
    pools: {},
    jobs: [],
    tasks: [],
    locks: [],
  };
}

function namesOf(options: ProxmoxOptions): readonly string[] {
  return options.hosts ?? ["pve1", "pve2", "pve3"];
}

/** The first host has the lab's first address; the others lie apart from what machines use. */
function hosts(lab: Lab, options: ProxmoxOptions): Host[] {
  const names = namesOf(options);
  const addressOf = (index: number) => lab.address.host(index === 0 ? 1 : 200 + index);
  // Those who join a cluster are told of each other.
  const hostsFile = names.map((name, index) => `${addressOf(index)} ${name}.lab.internal ${name}\n`).join("");
  return names.map((name, index) => ({
    name,
    nodeid: index + 1,
    address: addressOf(index),
    online: true,
    cpus: options.cpus ?? 16,
    memory: (options.memoryGiB ?? 48) * GiB,
    rootfs: 94 * GiB,
    processor: { vendor: "AuthenticAMD", model: "AMD EPYC 7302P 16-Core Processor" },
    iommu: options.iommu ?? true,
    pci: pciDevices(options.gpus?.[name] ?? []),
    usb: usbDevices(),
    bridges: bridges(addressOf(index), options.bridges ?? ["vmbr0"]),
    bonds: [],
    hostsFile,
    resolver: { search: "lab.internal", servers: [lab.address.host(GATEWAY)] },
    timezone: "UTC",
    // Half a day ago: times in task ids are told from here.
    bootedAt: lab.now() - 12 * 3600 * 1000,
  }));
}

/** The first has the host's own address; each has a card of its own behind it. */
function bridges(address: string, named: readonly string[]): Bridge[] {
  return named.map((text, index) => {
    const [name = "", how] = text.split(",");
    return { name, vlanAware: how !== "plain", ports: [`enp${index + 1}s0`], ...(index === 0 && { cidr: `${address}/24` }) };
  });
}

/** Only new installations accept images for import by default (docs/facts/proxmox.md#import-content). */
function storages(version: string, options: ProxmoxOptions): StorageDefinition[] {
  return [
    {
      id: "local",
      type: "dir",
      path: "/var/lib/vz",
      content: ["iso", "vztmpl", "backup", ...(releaseOf({ version }).importByDefault ? (["import"] as const) : []), "snippets"],
      total: 94 * GiB,
      occupied: 8 * GiB,
    },
    {
      id: "local-lvm",
      type: "lvmthin",
      vgname: "pve",
      thinpool: "data",
      content: ["images", "rootdir"],
      total: (options.disksGiB ?? 800) * GiB,
      occupied: 0,
    },
    ...(options.storages ?? []).map(labStorage),
  ];
}
