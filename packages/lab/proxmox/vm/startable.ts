import { died } from "../refusal.ts";
import { bridgeNamed, hostNamed, type ProxmoxState, type Vm } from "../state.ts";
import { usableStorage } from "../storage/storages.ts";
import { parseVolumeId } from "../storage/volume-id.ts";
import { drivesOf, volumeOf } from "./disks.ts";
import { isCloudInit } from "./drive.ts";
import { isNicKey, parseNic } from "./nic.ts";

/** Checks made when a machine starts, and not before. */
export function requireStartable(state: ProxmoxState, vm: Vm): void {
  requireProcessors(state, vm);
  requireVolumes(state, vm);
  requireBridges(state, vm);
}

/** A machine has at most as many processors as its host. */
function requireProcessors(state: ProxmoxState, vm: Vm): void {
  const most = hostNamed(state, vm.node)?.cpus ?? 0;
  const wanted = Number(vm.config.sockets ?? 1) * Number(vm.config.cores ?? 1);
  if (wanted > most) throw died(`MAX ${most} vcpus allowed per VM on this node`);
}

/** All attached volumes must exist, CDs included: a deleted ISO prevents a start. */
function requireVolumes(state: ProxmoxState, vm: Vm): void {
  for (const { key, drive } of drivesOf(vm.config)) {
    const id = key.startsWith("unused") ? undefined : parseVolumeId(drive.file);
    // A missing cloud-init drive is created again.
    if (!id || isCloudInit(drive)) continue;
    usableStorage(state, id.storage, vm.node);
    if (!volumeOf(state, vm.node, drive)) throw died(`volume '${drive.file}' does not exist`);
  }
}

/** The bridge is not checked before the start (docs/facts/proxmox.md#create). */
function requireBridges(state: ProxmoxState, vm: Vm): void {
  const host = hostNamed(state, vm.node);
  for (const key of Object.keys(vm.config).filter(isNicKey).sort()) {
    const { bridge } = parseNic(key, vm.config[key] as string);
    if (bridge !== undefined && !bridgeNamed(host, bridge)) throw died(`bridge '${bridge}' does not exist`);
  }
}
