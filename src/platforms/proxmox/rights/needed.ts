import { type PrivilegeName, privilegeExists } from "../../../catalog/proxmox-privileges.ts";
import type { ConfigOnProxmox, HostDevice, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { ANY_MACHINE } from "./held.ts";
import type { Release } from "./release.ts";
import type { Right, RoleName } from "./right.ts";

/**
 * All privileges that this config needs on this release, with their paths: to create, manage and remove machines. Without duplicates, and without
 * those that another one includes.
 */
export function rightsNeeded(config: ConfigOnProxmox, release: Release): Right[] {
  const all = [
    ...machineRights(config),
    ...storageRights(config),
    ...networkRights(config.nodes),
    ...deviceRights(config.nodes),
    ...hostRights(config),
  ];
  return distinct(all).filter(({ privilege }) => privilegeExists(privilege, release.major));
}

function distinct(rights: readonly Right[]): Right[] {
  const first = new Map<string, Right>();
  for (const right of rights) {
    const key = `${right.privilege} ${right.path}`;
    if (!first.has(key)) first.set(key, right);
  }
  return [...first.values()];
}

const MACHINE: readonly [PrivilegeName, string][] = [
  ["VM.Allocate", "to make and remove machines"],
  ["VM.Audit", "to see the machines"],
  ["VM.Config.CDROM", "for the cloud-init drive with a machine's address"],
  ["VM.Config.CPU", "to give machines processors"],
  ["VM.Config.Cloudinit", "to set a machine's address"],
  ["VM.Config.Disk", "to give machines disks and a boot order"],
  ["VM.Config.HWType", "to choose the hardware of machines"],
  ["VM.Config.Memory", "to give machines memory"],
  ["VM.Config.Network", "to give machines network cards"],
  ["VM.Config.Options", "to name, mark and tag machines"],
  ["VM.PowerMgmt", "to start and stop machines"],
];

/** The rights on machines. Proxmox checks a machine's pool first, then the machine: a right on all machines is not needed on a pool. */
function machineRights({ nodes, image }: ConfigOnProxmox): Right[] {
  const pools = [...new Set(nodes.flatMap((node) => node.pool ?? []))];
  const outside = nodes.some((node) => node.pool === undefined);
  const everywhere = [
    ...(outside ? MACHINE.map(([privilege, why]) => onMachines("TalosmithMachines", privilege, why)) : []),
    ...(image.method === "template" ? templateRights() : []),
    ...keptDiskRights(nodes),
    onMachines("TalosmithOthers", "VM.Audit", "to see whose ids and addresses are taken"),
  ];
  const held = new Set(everywhere.filter(({ path }) => path === "/vms").map(({ privilege }) => privilege));
  return [
    ...everywhere,
    ...pools.flatMap((pool) => MACHINE.filter(([privilege]) => !held.has(privilege)).map((one) => inPool(pool, ...one))),
    ...pools.flatMap(poolRights),
  ];
}

function inPool(pool: string, privilege: PrivilegeName, why: string): Right {
  return {
    role: "TalosmithMachines",
    privilege,
    path: `/pool/${pool}`,
    orAt: ANY_MACHINE,
    why: `${why} of the pool ${pool}`,
  };
}

function poolRights(pool: string): Right[] {
  const path = `/pool/${pool}`;
  return [
    {
      role: "TalosmithPools",
      privilege: "Pool.Allocate",
      path,
      why: "to put machines back into it",
      without: "a machine that was moved out of it is not put back",
    },
    // Without it Proxmox lists machines without their pools.
    { role: "TalosmithPools", privilege: "Pool.Audit", path, why: "to see which machines are in it" },
  ];
}

function onMachines(role: RoleName, privilege: PrivilegeName, why: string): Right {
  return { role, privilege, path: "/vms", at: ANY_MACHINE, why };
}

/** Templates are shared between environments, so they are in no pool. */
function templateRights(): Right[] {
  const rights: readonly [PrivilegeName, string][] = [
    ["VM.Allocate", "to make templates"],
    ["VM.Audit", "to find templates"],
    ["VM.Clone", "to clone templates"],
    ["VM.Config.Disk", "to give templates a disk"],
    ["VM.Config.HWType", "to choose the hardware of templates"],
    ["VM.Config.Options", "to name and mark templates"],
  ];
  return rights.map(([privilege, why]) => onMachines("TalosmithTemplates", privilege, why));
}

/** The rights for kept disks, which are attached as disks of another VM. */
function keptDiskRights(nodes: readonly ProxmoxNodeConfig[]): Right[] {
  const kept = nodes.flatMap((node) => node.disks.filter((disk) => disk.keep).map((disk) => ({ node, disk })));
  if (kept.length === 0) return [];
  const why = `to attach disks that outlive their machine (${named(kept.map(({ node }) => node.name))})`;
  return [
    onMachines("TalosmithKeptDisks", "VM.Config.Disk", why),
    ...[...new Set(kept.map(({ disk }) => disk.storage))].map(
      (storage): Right => ({ role: "TalosmithKeptDisks", privilege: "Datastore.Audit", path: `/storage/${storage}`, why }),
    ),
  ];
}

function storageRights({ nodes, proxmox }: ConfigOnProxmox): Right[] {
  const images = `/storage/${proxmox.storage.images}`;
  const disks = new Set(nodes.flatMap((node) => [node.storage, ...node.disks.map((disk) => disk.storage)]));
  return [
    { role: "TalosmithImages", privilege: "Datastore.AllocateTemplate", path: images, why: "to store the Talos image" },
    {
      role: "TalosmithImages",
      privilege: "Datastore.Audit",
      path: images,
      or: "Datastore.AllocateSpace",
      why: "to see and use the Talos image",
    },
    ...[...disks].map(
      (storage): Right => ({
        role: "TalosmithDisks",
        privilege: "Datastore.AllocateSpace",
        path: `/storage/${storage}`,
        why: "to make the machines' disks",
      }),
    ),
  ];
}

function networkRights(nodes: readonly ProxmoxNodeConfig[]): Right[] {
  const users = new Map<string, string[]>();
  for (const { name, bridge, vlan, nics } of nodes)
    for (const card of [{ bridge, vlan }, ...nics]) {
      const path = bridgePath(card);
      users.set(path, [...(users.get(path) ?? []), name]);
    }
  return [...users].map(([path, names]) => ({
    role: "TalosmithNetwork",
    privilege: "SDN.Use",
    path,
    why: `to plug ${named(names)} into it`,
  }));
}

/** The ACL path of a bridge. All bridges outside a software-defined network are in this zone. */
export function bridgePath({ bridge, vlan }: { bridge: string; vlan?: number | undefined }): string {
  return `/sdn/zones/localnetwork/${bridge}${vlan === undefined ? "" : `/${vlan}`}`;
}

function deviceRights(nodes: readonly ProxmoxNodeConfig[]): Right[] {
  const of = (kind: "pci" | "usb", node: ProxmoxNodeConfig, devices: readonly HostDevice[]) =>
    devices.flatMap((device): Right[] => {
      if (!("mapping" in device)) return [];
      const what = kind === "usb" ? "USB device" : node.gpu === undefined ? "PCI device" : "GPU";
      return [
        {
          role: "TalosmithDevices",
          privilege: "Mapping.Use",
          path: `/mapping/${kind}/${device.mapping}`,
          why: `for the ${what} of ${node.name}`,
        },
      ];
    });
  return nodes.flatMap((node) => [...of("pci", node, node.pci), ...of("usb", node, node.usb)]);
}

function hostRights({ nodes, proxmox }: ConfigOnProxmox): Right[] {
  const hosts = [...new Set([...proxmox.hosts, ...nodes.flatMap((node) => node.host ?? [])])];
  const ordered = nodes.filter((node) => node.startup !== undefined);
  const uploads = "images are uploaded from this computer instead";
  const look: Right = {
    role: "TalosmithHosts",
    privilege: "Sys.Audit",
    path: "/",
    why: "to look at the cluster and its devices",
  };
  const lookAt = (host: string): Right => ({
    ...look,
    path: `/nodes/${host}`,
    why: "to read its memory, its clock and other users' tasks",
    without: "doctor sees less",
  });
  const download = (host: string): Right => ({
    role: "TalosmithDownload",
    privilege: "Sys.AccessNetwork",
    path: `/nodes/${host}`,
    why: "to have it download the Talos image itself",
    without: uploads,
  });
  if (ordered.length === 0)
    return [{ ...look, without: "doctor sees less" }, ...hosts.flatMap((host) => [lookAt(host), download(host)])];
  return [
    {
      role: "TalosmithStartOrder",
      privilege: "Sys.Modify",
      path: "/",
      why: `for the start order of ${named(ordered.map(({ name }) => name))}`,
    },
    // Both together allow downloads.
    { ...look, why: `${look.why}, and to have hosts download the Talos image`, without: `doctor sees less, and ${uploads}` },
    ...hosts.map(lookAt),
  ];
}

/** A few names, and how many more. */
function named(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  return distinct.length > 3 ? `${distinct.slice(0, 2).join(", ")} and ${distinct.length - 2} more` : distinct.join(", ");
}
