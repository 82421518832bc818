import type { TalosOnDisk } from "../factory/image.ts";
import type { Lab } from "../kernel/kernel.ts";

export const SERVICE = "talos";

/** All machines that can run Talos, and the content of their disks, as plain data. */
export interface TalosState {
  /** Machines that are switched on: "vm 20417", "metal rack-1", "vps vps-1". */
  machines: Record<string, Machine>;
  /** Talos's data on disks, by disk name: "volume 17", "metal rack-1 sda". It outlives the machine and is deleted with the disk. */
  disks: Record<string, TalosDisk>;
  /** Enrolled firmware keys, by the disk that stores them. */
  firmware?: Record<string, "setup" | "microsoft" | "image">;
  /** Every etcd cluster that was ever created, by its id. */
  etcd: Record<string, EtcdCluster>;
  /** Every successful bootstrap, oldest first. More than one for a cluster is a split brain. */
  bootstraps: Bootstrapped[];
  /** The last summary sent to Kubernetes. */
  told: string;
}

export interface TalosDisk {
  /** Absent on a wiped disk, which does not boot. */
  system?: TalosOnDisk;
  /** STATE. */
  config?: string;
  /** A partition beside Talos's own, with a config for its first boot (label metal-iso). Its number is above those of Talos. */
  configVolume?: { index: number; bytes: number };
  /** META: written values by key. */
  meta?: Record<number, string>;
  /** EPHEMERAL. */
  etcd?: { cluster: string; member: string };
  /** EPHEMERAL: pulled images, by containerd. */
  images?: Record<string, string[]>;
  boots: number;
  /** How often STATE was created again: it stores the node's identity. */
  wipes?: number;
}

export interface Machine {
  key: string;
  /** The name for people. */
  name: string;
  /** Set for a machine of Proxmox. */
  vmid?: number;
  /** Set for a rented server: its name. */
  rented?: string;
  /** Set for other machines: the CD in its drive, which it boots when its disk is empty. */
  cd?: TalosOnDisk;
  hardware: Hardware;
  /** The network given by the platform: a cloud-init drive, a DHCP server. */
  platform: PlatformNetwork;
  /** The error of its time servers; it ends when the machine uses others. */
  clock?: { offMs: number; servers: string[] };
  /** Absent when there is nothing to boot, when it hangs, or between two boots. */
  boot?: Boot;
}

export interface Hardware {
  uuid: string;
  manufacturer: string;
  product: string;
  cores: number;
  memoryMiB: number;
  disks: Disk[];
  links: Link[];
  tpm?: true;
  /** Cards of the host that are passed through to it. */
  pci?: PciCard[];
}

/** A device as its registers describe it: hexadecimal, without 0x. */
export interface PciCard {
  /** "0000:01:00.0", as numbered in the machine. */
  address: string;
  /** Six digits. */
  class: string;
  vendor: string;
  device: string;
  vendorName?: string;
  deviceName?: string;
}

export interface Disk {
  /** Its name in `TalosState.disks`; absent for disks on which Talos cannot be installed. */
  name?: string;
  /** "sda" */
  device: string;
  size: number;
  model: string;
  serial: string;
  transport: string;
  cdrom: boolean;
  /** A rotating disk; absent = not rotating. */
  rotational?: boolean;
  wwid?: string;
  uuid?: string;
  modalias?: string;
  busPath?: string;
  /** Further names created by udev. */
  links?: string[];
}

export interface Link {
  name: string;
  /** Lower case. */
  mac: string;
  driver: string;
}

export interface PlatformNetwork {
  hostname?: string;
  /** With prefix. */
  addresses: string[];
  gateway?: string;
  nameservers: string[];
  /** From a DHCP server: a config that sets up a link removes it, unless it requests DHCP. */
  dhcp?: true;
}

export type Stage = "booting" | "installing" | "maintenance" | "running" | "rebooting" | "shutting down" | "resetting";

export interface Boot {
  /** Never reused: transitions of an earlier boot have no effect. */
  number: number;
  /** /proc/sys/kernel/random/boot_id */
  id: string;
  since: number;
  stage: Stage;
  system: TalosOnDisk;
  /** The disk it runs from; absent when it runs in memory, from a CD. */
  disk?: string;
  /** The firmware verified its signature. */
  secureBoot?: true;
  /** The complete config in effect. */
  config?: string;
  /** Documents without machine and cluster, which maintenance mode accepts. */
  partial?: string;
  /** Which calls are answered: none; all; none, although TLS still connects (it has just got its config); those with a certificate. */
  api: "closed" | "maintenance" | "leaving maintenance" | "certificates";
  /** The config to which a tried one is reverted. */
  revert?: { to: string; ticket: number };
  /**
   * The config that links, addresses and the firewall still follow: a call that changes the config is answered before the kernel has changed.
   * `announced`: the chains of the new firewall are stored, but not in the kernel yet.
   */
  network?: { config: string; ticket: number; announced?: true };
  services: Record<string, ServiceState>;
  /** Oldest first; only the last ones are kept. */
  events: MachineEvent[];
  /** "[  12.3] …" */
  kernelLog: string[];
  /** COSI: version and times of every resource that was read. */
  resources: Record<string, ResourceVersion>;
  /** The last status sent in an event. */
  status: string;
  staticPods: "none" | "starting" | "running";
  /** The etcd cluster that it is joining. */
  joining?: string;
  /** The running sequence; another one has to wait, or replaces it. */
  sequence?: string;
  /** The sequence that will end this boot, unless another one replaces it. */
  goesDown?: { ticket: number; actor: string };
  /** A reboot is running because of an applied config. */
  appliedForReboot?: true;
}

export type ServiceName = keyof typeof SERVICE_NAMES;
const SERVICE_NAMES = {
  apid: 0,
  auditd: 0,
  containerd: 0,
  cri: 0,
  dashboard: 0,
  etcd: 0,
  kubelet: 0,
  machined: 0,
  syslogd: 0,
  trustd: 0,
  udevd: 0,
};

export interface ServiceState {
  state: "Initialized" | "Starting" | "Preparing" | "Waiting" | "Running" | "Stopping" | "Finished" | "Failed" | "Skipped";
  /** Absent while its health is unknown. */
  healthy?: boolean;
  since: number;
  events: { at: number; state: string; message: string }[];
}

export interface MachineEvent {
  id: string;
  at: number;
  actor: string;
  /** The content, by the type of its message. */
  what:
    | { kind: "sequence"; sequence: string; action: "NOOP" | "START" | "STOP"; error?: { code: number; message: string } }
    | { kind: "service"; service: string; action: string; message: string; healthy?: boolean }
    | { kind: "status"; stage: Stage; ready: boolean; unmet: { name: string; reason: string }[] }
    | { kind: "phase"; phase: string; action: "START" | "STOP" }
    | { kind: "task"; task: string; action: "START" | "STOP" }
    | { kind: "address"; hostname: string; addresses: string[] }
    /** A config that could not be parsed, or was refused. */
    | { kind: "config-load-error"; error: string }
    | { kind: "config-validation-error"; error: string }
    /** The number of the kernel's reboot command. */
    | { kind: "restart"; command: number };
}

export interface ResourceVersion {
  /** A digest. */
  spec: string;
  version: number;
  created: number;
  updated: number;
}

export interface EtcdCluster {
  id: string;
  /** cluster.id of the config with which it was created. */
  cluster: string;
  members: EtcdMember[];
  leader?: string;
  term: number;
  /** By member id: raised by etcd until they are disarmed. */
  alarms?: Record<string, "NOSPACE" | "CORRUPT">;
  /** The machine that holds each virtual address. */
  vips: Record<string, { holder?: string; electing?: true }>;
}

export interface EtcdMember {
  /** Hex, as in EtcdMembers.etcd.talos.dev. */
  id: string;
  name: string;
  address: string;
  learner: boolean;
  promoting?: true;
}

export interface Bootstrapped {
  at: number;
  machine: string;
  cluster: string;
  etcd: string;
}

export function talosState(lab: Lab): TalosState {
  return lab.state<TalosState>(SERVICE);
}
