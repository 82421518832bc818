/** The Proxmox privileges that talosmith may need, and the majors that have them: a role with an unknown privilege is refused as a whole. */
export interface ProxmoxPrivilege {
  /** The first major that has it; absent: all known ones. */
  readonly since?: number;
  /** The last major that has it. */
  readonly until?: number;
  /** The actions it permits, as a phrase after "to". */
  readonly lets: string;
}

export const PROXMOX_PRIVILEGES = {
  "Datastore.Allocate": { lets: "remove images and change storages" },
  "Datastore.AllocateSpace": { lets: "create disks" },
  "Datastore.AllocateTemplate": { lets: "store images" },
  "Datastore.Audit": { lets: "list what a storage holds" },
  "Mapping.Audit": { lets: "see mapped devices" },
  "Mapping.Modify": { lets: "map devices" },
  "Mapping.Use": { lets: "use a mapped device" },
  "Pool.Allocate": { lets: "change a pool" },
  "Pool.Audit": { lets: "see a pool" },
  "SDN.Use": { lets: "connect machines to a bridge" },
  "Sys.AccessNetwork": { lets: "let a host download files" },
  "Sys.Audit": { lets: "read the state of hosts" },
  "Sys.Modify": { lets: "change the settings of hosts" },
  "VM.Allocate": { lets: "create and remove machines" },
  "VM.Audit": { lets: "see machines" },
  "VM.Clone": { lets: "clone machines" },
  "VM.Config.CDROM": { lets: "change CD-ROM drives" },
  "VM.Config.CPU": { lets: "change processors" },
  "VM.Config.Cloudinit": { lets: "change cloud-init settings" },
  "VM.Config.Disk": { lets: "change disks" },
  "VM.Config.HWType": { lets: "change hardware" },
  "VM.Config.Memory": { lets: "change memory" },
  "VM.Config.Network": { lets: "change network cards" },
  "VM.Config.Options": { lets: "change names, notes, tags and other options" },
  "VM.GuestAgent.Audit": { since: 9, lets: "query the guest agent" },
  "VM.Migrate": { lets: "move machines to other hosts" },
  "VM.Monitor": { until: 8, lets: "query the guest agent" },
  "VM.PowerMgmt": { lets: "start and stop machines" },
  "VM.Snapshot": { lets: "create snapshots" },
} as const satisfies Record<string, ProxmoxPrivilege>;

export type PrivilegeName = keyof typeof PROXMOX_PRIVILEGES;

export function privilegeExists(name: PrivilegeName, major: number): boolean {
  const { since = 0, until = Number.POSITIVE_INFINITY }: ProxmoxPrivilege = PROXMOX_PRIVILEGES[name];
  return since <= major && major <= until;
}
