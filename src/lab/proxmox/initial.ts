import type { Lab } from "../kernel/kernel.ts";
import { ROOT } from "./access/acl.ts";
import { DEPLOYER_PRIVILEGES } from "./access/roles.ts";
import type { Host, ProxmoxState, StorageDefinition } from "./state.ts";
import { newUuid } from "./vm/identity.ts";

const GiB = 1024 ** 3;

/** What a lab may ask for instead of the usual cluster. */
export interface ProxmoxOptions {
  /** Of pve-manager. */
  version?: string;
  hosts?: readonly string[];
  cpus?: number;
  /** Of each host. */
  memoryGiB?: number;
  bridges?: readonly string[];
  /** Of local-lvm on each host. */
  disksGiB?: number;
  rootPassword?: string;
}

export const CLIENT = "talosmith@pve";
export const CLIENT_TOKEN = "lab";
const CLIENT_ROLE = "TalosmithDeploy";
const ROOT_PASSWORD = "proxmox-lab";

/** A fresh installation of three hosts in one cluster, with somebody who may build on it. */
export function initialState(lab: Lab, options: ProxmoxOptions): ProxmoxState {
  return {
    version: options.version ?? "9.2.11",
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
      roles: { [CLIENT_ROLE]: [...DEPLOYER_PRIVILEGES] },
      acl: [{ path: "/", kind: "user", id: CLIENT, role: CLIENT_ROLE, propagate: true }],
    },
    ticketKey: newUuid(lab, "ticket key"),
    macPrefix: "BC:24:11",
    storages: storages(options),
    volumes: [],
    contents: {},
    vms: {},
    pools: {},
    jobs: [],
    tasks: [],
    locks: [],
  };
}

/** The first host has the lab's first address; the others lie apart from what machines use. */
function hosts(lab: Lab, options: ProxmoxOptions): Host[] {
  const names = options.hosts ?? ["pve1", "pve2", "pve3"];
  return names.map((name, index) => ({
    name,
    nodeid: index + 1,
    address: lab.address.host(index === 0 ? 1 : 200 + index),
    cpus: options.cpus ?? 16,
    memory: (options.memoryGiB ?? 48) * GiB,
    rootfs: 94 * GiB,
    bridges: [...(options.bridges ?? ["vmbr0"])],
    // Half a day ago: times in task ids are told from here.
    bootedAt: lab.now() - 12 * 3600 * 1000,
  }));
}

function storages(options: ProxmoxOptions): StorageDefinition[] {
  return [
    {
      id: "local",
      type: "dir",
      path: "/var/lib/vz",
      content: ["iso", "vztmpl", "backup", "import", "snippets"],
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
}
