import { releaseOf } from "../release.ts";

const VM_BOTH = [
  "VM.Allocate",
  "VM.Audit",
  "VM.Backup",
  "VM.Clone",
  "VM.Config.CDROM",
  "VM.Config.CPU",
  "VM.Config.Cloudinit",
  "VM.Config.Disk",
  "VM.Config.HWType",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.Options",
  "VM.Console",
  "VM.Migrate",
  "VM.PowerMgmt",
  "VM.Snapshot",
  "VM.Snapshot.Rollback",
];
const AGENT_USER = ["VM.GuestAgent.Audit", "VM.GuestAgent.FileRead", "VM.GuestAgent.FileSystemMgmt", "VM.GuestAgent.FileWrite"];
const DATASTORE = ["Datastore.Allocate", "Datastore.AllocateSpace", "Datastore.AllocateTemplate", "Datastore.Audit"];
const ONLY_ADMINISTRATOR = [
  "Mapping.Modify",
  "Permissions.Modify",
  "Realm.Allocate",
  "Sys.AccessNetwork",
  "Sys.Incoming",
  "Sys.Modify",
  "Sys.PowerMgmt",
];
const ADMIN_BOTH = [
  ...DATASTORE,
  "Group.Allocate",
  "Mapping.Audit",
  "Mapping.Use",
  "Pool.Allocate",
  "Pool.Audit",
  "Realm.AllocateUser",
  "SDN.Allocate",
  "SDN.Audit",
  "SDN.Use",
  "Sys.Audit",
  "Sys.Console",
  "Sys.Syslog",
  "User.Modify",
];

interface Roles {
  /** All privileges, sorted. */
  privileges: readonly string[];
  builtIn: Readonly<Record<string, readonly string[]>>;
}

/** The built-in roles (docs/facts/proxmox.md#built-in-roles), with that release's names of the guest agent's privileges. */
function rolesWith(agent: { admin: readonly string[]; user: readonly string[]; audit: readonly string[] }): Roles {
  const vm = [...VM_BOTH, ...agent.admin];
  const pveAdmin = [...ADMIN_BOTH, ...vm];
  const privileges = [...pveAdmin, ...ONLY_ADMINISTRATOR].sort();
  return {
    privileges,
    builtIn: {
      Administrator: privileges,
      NoAccess: [],
      PVEAdmin: pveAdmin,
      PVEVMAdmin: vm,
      PVEVMUser: ["VM.Audit", "VM.Backup", "VM.Config.CDROM", "VM.Config.Cloudinit", "VM.Console", "VM.PowerMgmt", ...agent.user],
      PVETemplateUser: ["VM.Audit", "VM.Clone"],
      PVEDatastoreAdmin: DATASTORE,
      PVEDatastoreUser: ["Datastore.AllocateSpace", "Datastore.Audit"],
      PVESysAdmin: ["Sys.Audit", "Sys.Console", "Sys.Syslog"],
      PVEPoolAdmin: ["Pool.Allocate", "Pool.Audit"],
      PVEPoolUser: ["Pool.Audit"],
      PVESDNAdmin: ["SDN.Allocate", "SDN.Audit", "SDN.Use"],
      PVESDNUser: ["SDN.Audit", "SDN.Use"],
      PVEMappingAdmin: ["Mapping.Audit", "Mapping.Modify", "Mapping.Use"],
      PVEMappingUser: ["Mapping.Audit", "Mapping.Use"],
      PVEUserAdmin: ["Group.Allocate", "Realm.AllocateUser", "User.Modify"],
      PVEAuditor: ["Datastore.Audit", "Mapping.Audit", "Pool.Audit", "SDN.Audit", "Sys.Audit", "VM.Audit", ...agent.audit],
    },
  };
}

const EIGHT = rolesWith({ admin: ["VM.Monitor"], user: [], audit: [] });
const NINE = rolesWith({
  admin: [...AGENT_USER, "VM.GuestAgent.Unrestricted", "VM.Replicate"],
  user: AGENT_USER,
  audit: ["VM.GuestAgent.Audit"],
});

function rolesOf(of: { version: string }): Roles {
  return releaseOf(of).agentPrivileges ? NINE : EIGHT;
}

export function privilegesOfRelease(of: { version: string }): readonly string[] {
  return rolesOf(of).privileges;
}

export function builtInRoles(of: { version: string }): Roles["builtIn"] {
  return rolesOf(of).builtIn;
}

/**
 * Privileges of the lab's own client: the least for building a cluster, image downloads, and mapped devices
 * (docs/facts/proxmox.md#least-privileges).
 */
export function deployerPrivileges(of: { version: string }): readonly string[] {
  return [...DEPLOYER_BOTH, releaseOf(of).agentPrivileges ? "VM.GuestAgent.Audit" : "VM.Monitor"];
}

const DEPLOYER_BOTH: readonly string[] = [
  "Datastore.AllocateSpace",
  "Datastore.AllocateTemplate",
  "Datastore.Audit",
  "Mapping.Audit",
  "Mapping.Use",
  "Pool.Audit",
  "SDN.Use",
  "Sys.AccessNetwork",
  "Sys.Audit",
  "VM.Allocate",
  "VM.Audit",
  "VM.Clone",
  "VM.Config.CDROM",
  "VM.Config.CPU",
  "VM.Config.Cloudinit",
  "VM.Config.Disk",
  "VM.Config.HWType",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.Options",
  "VM.PowerMgmt",
];
