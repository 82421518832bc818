import type { TalosOnDisk } from "../factory/image.ts";
import type { Lab } from "../kernel/kernel.ts";

export const SERVICE = "talos";

/** Every machine that could run Talos, and what is on their disks, as plain data. */
export interface TalosState {
  /** Those that are switched on: "vm 20417", "metal rack-1", "vps vps-1". */
  machines: Record<string, Machine>;
  /** What Talos wrote to disks, by their names: "volume 17", "metal rack-1 sda". It outlives the machine and goes with the disk. */
  disks: Record<string, TalosDisk>;
  /** What machines' firmware was taught, by the disks it remembers it on. */
  firmware?: Record<string, "setup" | "microsoft" | "image">;
  /** Every etcd cluster there ever was, by its id. */
  etcd: Record<string, EtcdCluster>;
  /** Every Bootstrap that was carried out, oldest first. More than one for a cluster is a split brain. */
  bootstraps: Bootstrapped[];
  /** What Kubernetes was last told about. */
  told: string;
}

export interface TalosDisk {
  /** Absent on a disk that was wiped: nothing boots from it. */
  system?: TalosOnDisk;
  /** STATE. */
  config?: string;
  /** A partition beside Talos's own, with a config for its first boot (label metal-iso). Its number is above those that Talos makes. */
  configVolume?: { index: number; bytes: number };
  /** META, by key: what somebody wrote there. */
  meta?: Record<number, string>;
  /** EPHEMERAL. */
  etcd?: { cluster: string; member: string };
  /** EPHEMERAL: images that somebody pulled, by the containerd that has them. */
  images?: Record<string, string[]>;
  boots: number;
  /** How often STATE was made anew: a node's identity is kept there. */
  wipes?: number;
}

export interface Machine {
  key: string;
  /** As people call it. */
  name: string;
  /** Of a machine that Proxmox runs. */
  vmid?: number;
  /** Of a rented server: its name there. */
  rented?: string;
  /** Of any other one: the CD in its drive, which it boots when its disk has nothing. */
  cd?: TalosOnDisk;
  hardware: Hardware;
  /** What the platform tells about the network: a cloud-init drive, a DHCP server. */
  platform: PlatformNetwork;
  /** Whom it asks for the time is wrong by so much; ends when it asks others. */
  clock?: { offMs: number; servers: string[] };
  /** Absent when there is nothing to boot, it hangs, or it is between two boots. */
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
  /** Cards of the host that were given to it. */
  pci?: PciCard[];
}

/** A device as its own registers tell it: hexadecimal, without 0x. */
export interface PciCard {
  /** "0000:01:00.0", as the machine counts. */
  address: string;
  /** Six digits. */
  class: string;
  vendor: string;
  device: string;
  vendorName?: string;
  deviceName?: string;
}

export interface Disk {
  /** Its name in `TalosState.disks`; absent for what Talos cannot be written to. */
  name?: string;
  /** "sda" */
  device: string;
  size: number;
  model: string;
  serial: string;
  transport: string;
  cdrom: boolean;
  /** It turns; absent = it does not. */
  rotational?: boolean;
  wwid?: string;
  uuid?: string;
  modalias?: string;
  busPath?: string;
  /** What udev calls it besides. */
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
  /** From a DHCP server: a config that sets up a link goes without, unless it asks for it. */
  dhcp?: true;
}

export type Stage = "booting" | "installing" | "maintenance" | "running" | "rebooting" | "shutting down" | "resetting";

export interface Boot {
  /** Never given out twice: what was to happen in an earlier boot no longer does. */
  number: number;
  /** /proc/sys/kernel/random/boot_id */
  id: string;
  since: number;
  stage: Stage;
  system: TalosOnDisk;
  /** The disk it runs from; absent when it runs in memory, from a CD. */
  disk?: string;
  /** The firmware checked its signature. */
  secureBoot?: true;
  /** Complete, and in force. */
  config?: string;
  /** Documents without machine and cluster, as maintenance mode takes them. */
  partial?: string;
  /** Whose calls are answered: none; everybody's; none, although TLS still connects (it has just got its config); those with a certificate. */
  api: "closed" | "maintenance" | "leaving maintenance" | "certificates";
  /** A tried config gives way to this one. */
  revert?: { to: string; ticket: number };
  /**
   * The config that links, addresses and the firewall still follow: a call that changes the config is answered before the kernel has changed.
   * `announced`: the chains of the new firewall are written down, and not in the kernel yet.
   */
  network?: { config: string; ticket: number; announced?: true };
  services: Record<string, ServiceState>;
  /** Oldest first; only the last are kept. */
  events: MachineEvent[];
  /** "[  12.3] …" */
  kernelLog: string[];
  /** COSI: version and times of every resource somebody has looked at. */
  resources: Record<string, ResourceVersion>;
  /** The last status told in an event. */
  status: string;
  staticPods: "none" | "starting" | "running";
  /** It has asked this etcd cluster to let it in. */
  joining?: string;
  /** What it is busy with; another one has to wait, or takes over. */
  sequence?: string;
  /** Of the sequence that will end this boot, unless another one takes over. */
  goesDown?: { ticket: number; actor: string };
  /** A config was applied that needs a reboot, which is under way. */
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
  /** Absent while nobody has looked. */
  healthy?: boolean;
  since: number;
  events: { at: number; state: string; message: string }[];
}

export interface MachineEvent {
  id: string;
  at: number;
  actor: string;
  /** What it says, by the kind of its message. */
  what:
    | { kind: "sequence"; sequence: string; action: "NOOP" | "START" | "STOP"; error?: { code: number; message: string } }
    | { kind: "service"; service: string; action: string; message: string; healthy?: boolean }
    | { kind: "status"; stage: Stage; ready: boolean; unmet: { name: string; reason: string }[] }
    | { kind: "phase"; phase: string; action: "START" | "STOP" }
    | { kind: "task"; task: string; action: "START" | "STOP" }
    | { kind: "address"; hostname: string; addresses: string[] }
    /** A config that could not be read, or that was refused. */
    | { kind: "config-load-error"; error: string }
    | { kind: "config-validation-error"; error: string }
    /** The kernel is told how to go down: the number of its reboot command. */
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
  /** cluster.id of the config it was made with. */
  cluster: string;
  members: EtcdMember[];
  leader?: string;
  term: number;
  /** By member id: raised by etcd, and up until somebody disarms them. */
  alarms?: Record<string, "NOSPACE" | "CORRUPT">;
  /** Which machine answers for a virtual address. */
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
