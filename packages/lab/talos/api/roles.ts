/** Roles allowed to call each method (docs/facts/talos.md#methods-and-roles): A admin, O operator, R reader, E etcd backup, M writer of META. */
const RULES: Record<string, string> = {
  "inspect.InspectService/ControllerRuntimeDependencies": "AOR",
  "machine.ImageService/List": "AOR",
  "machine.ImageService/Pull": "AO",
  "machine.MachineService/ApplyConfiguration": "A",
  "machine.MachineService/Bootstrap": "A",
  "machine.MachineService/Containers": "AOR",
  "machine.MachineService/Copy": "A",
  "machine.MachineService/DiskStats": "AOR",
  "machine.MachineService/DiskUsage": "AOR",
  "machine.MachineService/Dmesg": "AOR",
  "machine.MachineService/EtcdAlarmDisarm": "AO",
  "machine.MachineService/EtcdAlarmList": "AORE",
  "machine.MachineService/EtcdForfeitLeadership": "A",
  "machine.MachineService/EtcdLeaveCluster": "A",
  "machine.MachineService/EtcdMemberList": "AORE",
  "machine.MachineService/EtcdRemoveMemberByID": "A",
  "machine.MachineService/EtcdSnapshot": "AOE",
  "machine.MachineService/EtcdStatus": "AORE",
  "machine.MachineService/Events": "AOR",
  "machine.MachineService/GenerateClientConfiguration": "A",
  "machine.MachineService/Hostname": "AOR",
  "machine.MachineService/ImageList": "AOR",
  "machine.MachineService/ImagePull": "AO",
  "machine.MachineService/Kubeconfig": "A",
  "machine.MachineService/List": "AOR",
  "machine.MachineService/Logs": "AOR",
  "machine.MachineService/Memory": "AOR",
  "machine.MachineService/MetaDelete": "AM",
  "machine.MachineService/MetaWrite": "AM",
  "machine.MachineService/Mounts": "AOR",
  "machine.MachineService/Netstat": "AOR",
  "machine.MachineService/PacketCapture": "AO",
  "machine.MachineService/Processes": "AOR",
  "machine.MachineService/Read": "A",
  "machine.MachineService/Reboot": "AO",
  "machine.MachineService/Reset": "A",
  "machine.MachineService/ServiceList": "AOR",
  "machine.MachineService/ServiceRestart": "AO",
  "machine.MachineService/Shutdown": "AO",
  "machine.MachineService/Stats": "AOR",
  "machine.MachineService/Version": "AOR",
  "cluster.ClusterService/HealthCheck": "AOR",
  "storage.StorageService/BlockDeviceWipe": "A",
  "storage.StorageService/Disks": "AOR",
  "time.TimeService/Time": "AOR",
  "time.TimeService/TimeCheck": "AOR",
  "cosi.resource.State/Get": "AOR",
  "cosi.resource.State/List": "AOR",
  "cosi.resource.State/Watch": "AOR",
};

const LETTERS: Record<string, string> = {
  "os:admin": "A",
  "os:operator": "O",
  "os:reader": "R",
  "os:etcd:backup": "E",
  "os:meta:writer": "M",
};

export function mayCall(method: string, roles: readonly string[]): boolean {
  const allowed = RULES[method] ?? "A";
  return roles.some((role) => allowed.includes(LETTERS[role] ?? "?"));
}

const APPLY = "machine.MachineService/ApplyConfiguration";

/** Whether a method is available in maintenance mode. */
export function inMaintenance(method: string, minor: number): "yes" | "denied" | "unimplemented" {
  if (method === APPLY) return "yes";
  if (minor >= 13) return mayCall(method, ["os:reader"]) ? "yes" : "denied";
  return method === "storage.StorageService/Disks" || method.startsWith("cosi.resource.State/") ? "yes" : "unimplemented";
}

const MUTATING =
  "ApplyConfiguration BlockDeviceWipe Bootstrap EtcdAlarmDisarm EtcdForfeitLeadership EtcdLeaveCluster EtcdRemoveMemberByID ImagePull MetaDelete MetaWrite Pull Reboot Reset ServiceRestart Shutdown".split(
    " ",
  );

/** Whether a call changes state. */
export function isMutating(method: string): boolean {
  return MUTATING.includes(method.split("/")[1] ?? "");
}
