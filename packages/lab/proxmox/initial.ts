import { internalError, userError } from "@talosmith/lib/errors.ts";
import type { Lab } from "../kernel/kernel.ts";
import { ROOT } from "./access/acl.ts";
import { deployerPrivileges } from "./access/roles.ts";
import { type Card, pciDevices, pciEntry, usbDevices } from "./devices/catalogue.ts";
import { DEFAULT_VERSION, fullVersion, releaseOf } from "./release.ts";
import type { Bridge, Host, Mapping, PciDevice, ProxmoxState, StorageDefinition } from "./state.ts";
import { type LabStorage, labStorage } from "./storage/lab-storage.ts";
import { newUuid } from "./vm/identity.ts";

const GiB = 1024 ** 3;
/** The router of the lab's network, which is also its DNS server. */
const GATEWAY = 250;

/** Options that differ from the default cluster. */
export interface ProxmoxOptions {
  /** Version of pve-manager; a line alone ("8.4") means its last version. */
  version?: string;
  hosts?: readonly (string | LabHost)[];
  cpus?: number;
  /** Memory of each host. */
  memoryGiB?: number;
  /** "vmbr0" is VLAN-aware, "vmbr1,plain" is not. */
  bridges?: readonly string[];
  /** GPUs by host name: { pve2: ["nvidia rtx 4090"] }. */
  gpus?: Readonly<Record<string, readonly string[]>>;
  /** Whether hosts support device passthrough; true when absent. */
  iommu?: boolean;
  /** Size of local-lvm on each host. */
  disksGiB?: number;
  rootPassword?: string;
  /** Storages in addition to local and local-lvm, or in place of them. */
  storages?: readonly LabStorage[];
  pools?: readonly string[];
  /** Resource mappings: with these entries, else with a device of their own on each host, or as many as given. */
  mappings?: readonly {
    readonly kind: "pci" | "usb";
    readonly name: string;
    readonly count?: number;
    readonly entries?: readonly string[];
  }[];
  /** The client's privileges by path, each with whether it propagates; absent = all that a deployer may need, everywhere. */
  rights?: readonly { readonly path: string; readonly privileges: Readonly<Record<string, boolean>> }[];
}

/** A host that differs from the others. */
export interface LabHost {
  readonly name: string;
  readonly cpus?: number;
  readonly memoryGiB?: number;
  /** Memory in use besides that of machines. */
  readonly usedGiB?: number;
  /** In place of the usual board and cards. */
  readonly pci?: readonly PciDevice[];
  /** In place of those of all hosts. */
  readonly bridges?: readonly { readonly name: string; readonly vlanAware: boolean; readonly ports: readonly string[] }[];
  readonly cards?: readonly Card[];
  /** USB devices by their ids: "046d:c52b". */
  readonly usb?: readonly string[];
}

export const CLIENT = "talosmith@pve";
export const CLIENT_TOKEN = "lab";
const CLIENT_ROLE = "TalosmithDeploy";
const ROOT_PASSWORD = "proxmox-lab";

/** A fresh installation of three hosts in one cluster, with a user that may build on it. */
export function initialState(lab: Lab, options: ProxmoxOptions): ProxmoxState {
  const version = fullVersion(options.version ?? DEFAULT_VERSION);
  if (version === undefined) throw internalError("LAB_PROXMOX", { message: `Unable to simulate Proxmox VE ${options.version}` });
  const stranger = Object.keys(options.gpus ?? {}).find((name) => !namesOf(options).includes(name));
  if (stranger !== undefined)
    throw userError("LAB_PROXMOX", {
      message: `Unable to put a card into ${stranger}`,
      hint: `there is no such host: choose among ${namesOf(options).join(", ")}`,
    });
  const placed = hosts(lab, options);
  return {
    version,
    clusterName: "lab",
    hosts: placed.map(({ host }) => host),
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
      ...rightsOf(version, options),
      realms: {},
    },
    ticketKey: newUuid(lab, "ticket key"),
    quorate: true,
    options: { keyboard: "en-us" },
    mappings: mappings(placed, options),
    ha: { resources: {}, groups: {}, rules: {} },
    sdn: { zones: {}, vnets: {} },
    storages: storages(version, options),
    volumes: [],
    contents: {},
    vms: {},
    pools: Object.fromEntries((options.pools ?? []).map((name) => [name, { vms: [], storage: [] }])),
    jobs: [],
    tasks: [],
    locks: [],
  };
}

/** A role for each path of the client's rights, and another for what does not hold below it. */
function rightsOf(version: string, { rights }: ProxmoxOptions): Pick<ProxmoxState["access"], "roles" | "acl"> {
  const entry = (path: string, role: string, propagate: boolean) => ({
    path,
    kind: "user" as const,
    id: CLIENT,
    role,
    propagate,
  });
  if (!rights) return { roles: { [CLIENT_ROLE]: [...deployerPrivileges({ version })] }, acl: [entry("/", CLIENT_ROLE, true)] };
  const roles: Record<string, string[]> = {};
  const acl = rights.flatMap(({ path, privileges }, at) => {
    const names = (below: boolean) => Object.keys(privileges).filter((name) => privileges[name] === below);
    const [propagating, here] = [names(true), names(false)];
    if (propagating.length + here.length === 0) return [entry(path, "NoAccess", true)];
    return ([propagating, here] as const).flatMap((some, kind) => {
      if (some.length === 0) return [];
      const role = `Site${at}${kind === 0 ? "" : "Here"}`;
      roles[role] = [...some];
      return [entry(path, role, kind === 0)];
    });
  });
  return { roles, acl };
}

function namesOf(options: ProxmoxOptions): readonly string[] {
  return hostsOf(options).map(({ name }) => name);
}

function hostsOf({ hosts = ["pve1", "pve2", "pve3"] }: ProxmoxOptions): readonly LabHost[] {
  return hosts.map((host) => (typeof host === "string" ? { name: host } : host));
}

/** A host and the first function of each card, in the order of the cards. */
interface Placed {
  host: Host;
  cards: Host["pci"];
}

/** The first host has the lab's first address; the others have addresses that machines do not use. */
function hosts(lab: Lab, options: ProxmoxOptions): Placed[] {
  const names = namesOf(options);
  const addressOf = (index: number) => lab.address.host(index === 0 ? 1 : 200 + index);
  // Hosts of a cluster know each other's names.
  const hostsFile = names.map((name, index) => `${addressOf(index)} ${name}.lab.internal ${name}\n`).join("");
  const mapped = cardsOf(options);
  return hostsOf(options).map((wanted, index) => {
    const { name, cpus, memoryGiB, usedGiB, cards = [], usb } = wanted;
    const board = pciDevices([]).length;
    const pci = wanted.pci ? [...wanted.pci] : pciDevices([...mapped, ...cards, ...(options.gpus?.[name] ?? [])]);
    const plugged = wanted.bridges?.map((one) => ({ ...one, ports: [...one.ports] }));
    const host: Host = {
      name,
      nodeid: index + 1,
      address: addressOf(index),
      online: true,
      cpus: cpus ?? options.cpus ?? 16,
      memory: Math.round((memoryGiB ?? options.memoryGiB ?? 48) * GiB),
      ...(usedGiB !== undefined && { ownMemory: Math.round(usedGiB * GiB) }),
      rootfs: 94 * GiB,
      processor: { vendor: "AuthenticAMD", model: "AMD EPYC 7302P 16-Core Processor" },
      iommu: options.iommu ?? wanted.pci?.every(({ group }) => group < 0) !== true,
      pci,
      usb: usbDevices(usb),
      bridges: plugged ?? bridges(addressOf(index), options.bridges ?? ["vmbr0"]),
      bonds: [],
      hostsFile,
      resolver: { search: "lab.internal", servers: [lab.address.host(GATEWAY)] },
      timezone: "UTC",
      // Half a day before the start: times in task ids are relative to it.
      bootedAt: lab.now() - 12 * 3600 * 1000,
    };
    return { host, cards: pci.slice(board).filter(({ id }) => id.endsWith(".0")) };
  });
}

/** The cards behind the mappings, which all hosts have: a mapping's name is the model of its cards. */
function cardsOf({ mappings = [] }: ProxmoxOptions): string[] {
  const made = mappings.filter(({ kind, entries }) => kind === "pci" && !entries);
  return made.flatMap(({ name, count = 1 }) => Array<string>(count).fill(name));
}

function mappings(placed: readonly Placed[], options: ProxmoxOptions): ProxmoxState["mappings"] {
  const cards = cardsOf(options);
  const named = (kind: "pci" | "usb", map: (name: string) => string[]): Record<string, Mapping> =>
    Object.fromEntries(
      (options.mappings ?? []).flatMap(({ kind: own, name, entries }) =>
        own === kind ? [[name, { map: entries ? [...entries] : map(name) }] as const] : [],
      ),
    );
  return {
    pci: named("pci", (name) =>
      placed.flatMap((one) => one.cards.filter((_, at) => cards[at] === name).map((card) => pciEntry(one.host.name, card))),
    ),
    usb: named("usb", () => placed.map(({ host }) => `node=${host.name},id=10c4:ea60,path=1-2`)),
    dir: {},
  };
}

/** The first bridge has the host's own address; each bridge has its own card. */
function bridges(address: string, named: readonly string[]): Bridge[] {
  return named.map((text, index) => {
    const [name = "", how] = text.split(",");
    return { name, vlanAware: how !== "plain", ports: [`enp${index + 1}s0`], ...(index === 0 && { cidr: `${address}/24` }) };
  });
}

/** Only new installations accept images for import by default (docs/facts/proxmox.md#import-content). */
function storages(version: string, options: ProxmoxOptions): StorageDefinition[] {
  const usual: StorageDefinition[] = [
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
  ];
  const wanted = (options.storages ?? []).map(labStorage);
  return [...usual.filter(({ id }) => wanted.every((one) => one.id !== id)), ...wanted];
}
