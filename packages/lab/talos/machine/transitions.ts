import type { Json } from "@talosmith/lib/json.ts";
import type { Lab, TransitionHandler } from "../../kernel/kernel.ts";
import { proxmoxState } from "../../proxmox/state.ts";
import { RENTED_POWER } from "../../rescue/power.ts";
import { startEtcd } from "../etcd/cluster.ts";
import { joined, promoted } from "../etcd/join.ts";
import { electHolder } from "../etcd/vip.ts";
import { settle } from "../settle.ts";
import { type Boot, type Machine, type ServiceName, talosState } from "../state.ts";
import { KUBERNETES_CHANGED } from "../view.ts";
import { networkFollows, revert } from "./apply.ts";
import {
  booted,
  inBoot,
  maintenanceOver,
  type OfBoot,
  openApi,
  serviceUp,
  switchOff,
  switchOn,
  switchOnRented,
  vmKey,
} from "./boot.ts";
import { replugged } from "./plugged.ts";
import { rentedKey } from "./rented.ts";
import { type GoingDown, installed, isDown } from "./sequences.ts";
import { vmHardware } from "./virtual.ts";
import { volumeDisk } from "./volume-disk.ts";

/** A transition for the whole datacenter. */
function always<D>(work: (lab: Lab, data: D) => void): TransitionHandler {
  return (lab, data) => {
    work(lab, data as unknown as D);
    settle(lab);
  };
}

/** A transition of a machine; it has no effect once the machine was switched off or rebooted. */
function during<D>(work: (lab: Lab, machine: Machine, boot: Boot, data: D) => void): TransitionHandler {
  return (lab, data) => {
    const found = inBoot(lab, data as unknown as OfBoot);
    if (!found) return;
    work(lab, found.machine, found.boot, data as unknown as D);
    settle(lab);
  };
}

export const transitions: Record<string, TransitionHandler> = {
  /** Scheduled by Proxmox. */
  "machine.power": always<{ vmid: number; on: boolean }>((lab, { vmid, on }) => {
    const vm = proxmoxState(lab).vms[vmid];
    switchOff(lab, vmKey(vmid));
    if (on && vm?.power) switchOn(lab, vm);
  }),
  /** Scheduled by the service for rented servers. */
  [RENTED_POWER]: always<{ server: string; on: boolean }>((lab, { server, on }) => {
    switchOff(lab, rentedKey(server));
    if (on) switchOnRented(lab, server);
  }),
  /** Scheduled by Proxmox: disks and cards are added and removed while a machine runs. */
  "machine.changed": always<{ vmid: number }>((lab, { vmid }) => {
    const vm = proxmoxState(lab).vms[vmid];
    const machine = talosState(lab).machines[vmKey(vmid)];
    if (vm?.power && machine?.boot) machine.hardware = replugged(machine.hardware, vmHardware(lab, vm), machine.boot.disk);
  }),
  /** Scheduled by Proxmox: the content of a disk is copied with it. */
  "disk.copied": always<{ from: number; to: number }>((lab, { from, to }) => {
    const { disks } = talosState(lab);
    const written = disks[volumeDisk(from)];
    if (written) disks[volumeDisk(to)] = structuredClone(written);
  }),
  /** Scheduled by Kubernetes. */
  [KUBERNETES_CHANGED]: always(() => {}),
  "talos.booted": during(booted),
  "talos.service": during<{ id: ServiceName }>((lab, machine, boot, { id }) => serviceUp(lab, machine, boot, id)),
  "talos.maintenance-over": during((_, __, boot) => maintenanceOver(boot)),
  "talos.api": during((lab, _, boot) => openApi(lab, boot)),
  "talos.installed": during<{ text: string; fails?: string }>((lab, machine, boot, { text, fails }) =>
    installed(lab, machine, boot, text, fails),
  ),
  "talos.down": during<{ down: GoingDown; ticket: number }>((lab, machine, boot, { down, ticket }) =>
    isDown(lab, machine, boot, down, ticket),
  ),
  "talos.revert": during<{ ticket: number }>((lab, machine, boot, { ticket }) => revert(lab, machine, boot, ticket)),
  "talos.network": during<{ ticket: number; announced?: boolean }>((_, __, boot, { ticket, announced }) =>
    networkFollows(boot, ticket, announced === true),
  ),
  "talos.etcd-start": during((lab, machine) => startEtcd(lab, machine)),
  "talos.etcd-joined": during((lab, machine) => joined(lab, machine)),
  "talos.etcd-promoted": always<{ cluster: string; member: string }>((lab, { cluster, member }) =>
    promoted(lab, cluster, member),
  ),
  "talos.static-pods": during((_, __, boot) => {
    boot.staticPods = "running";
  }),
  "talos.vip": always<{ cluster: string; address: string }>((lab, { cluster, address }) => electHolder(lab, cluster, address)),
} satisfies Record<string, (lab: Lab, data: Json) => void>;
