import type { Json } from "@talosmith/lib/json.ts";
import type { NodeConfig } from "../config/config.ts";
import type { AnyStep, Check, Finding, Read, Ref, Stage, WorkItem, Write } from "../engine/step.ts";
import type { Maintenance } from "../maintenance/maintenance.ts";
import type { MachineConfig } from "../talos/config/machine-config.ts";

/** A machine that exists and carries the environment's mark. */
export interface Owned {
  /** The node's name. */
  name: string;
  /** The platform's id of the machine, such as a VM id. */
  id?: number;
  /** Distinguishes this machine from its replacement; absent when the platform cannot. */
  instance?: string;
  /** Its name in messages: "machine worker-3". */
  subject: string;
  /** Its place in messages: "VM 20417 on pve2". */
  where: string;
  role: string;
  address: string;
  state: string;
  /** The memory that it has now, in MiB: 0 while it is off, absent when it is unknown. */
  memory?: number;
  /** It is a control plane of a cluster whose etcd has been bootstrapped; its mark says so. */
  bootstrapped: boolean;
  /** The config has a setting that only a new machine can get, other than address and role, which are compared separately. */
  remade?: true;
  /** Further facts for programs. */
  detail: Record<string, Json>;
}

/** Facts that identify a node's machine before secrets are sent to it. */
export interface MachineFacts {
  address: string;
  /** The UUID of its firmware (SMBIOS); absent when the platform does not know it. */
  uuid?: string;
  /** The MAC address of its network card, upper case. */
  mac?: string;
  /** The serial number of one of its disks. */
  diskSerial?: string;
  /** The platform's id of the machine, such as a VM id. */
  id?: number;
}

/** The first machine configs, for machines whose config is written to their disk. Needs the step that creates the secrets. */
export interface FirstConfigs {
  /** The complete config of a node. */
  of(node: NodeConfig, c: Read): MachineConfig;
}

/** Further input of the stage provision. */
export interface Provisioning {
  configs: FirstConfigs;
  maintenance: Maintenance;
}

/** Everything that exists of an environment, found at the start of every command. */
export interface Inventory {
  /** The environment id; undefined while secrets.yaml does not exist. */
  environment: string | undefined;
  owned: readonly Owned[];
  /** The names of the nodes whose machines exist, switched on or not: commands contact only these. */
  there: ReadonlySet<string>;
  /** Machines that look like this environment's but are not: reported, never touched. */
  foreign: readonly { where: string; why: string }[];
  /** Machines that talosmith made nodes and that do not answer now: their state is unknown. */
  unseen?: readonly Owned[];
  /** Silent machines without a record: they may be nodes of this cluster, switched off, or something else. */
  silent?: readonly string[];
  /** Disks that are kept when their machines are removed, by the platform's names; absent where the platform has none. */
  kept?: readonly string[];
}

/** A machine of a cluster with the config's name, found while secrets.yaml is missing: probably this environment's own. */
export interface Namesake {
  /** The node's name. */
  name: string;
  /** Its place in messages: "VM 104 on pve2". */
  where: string;
  state: string;
}

/** An image, ISO or template on the infrastructure from which machines are created. It is shared: other environments may use it. */
export interface Stored {
  name: string;
  kind: "image" | "ISO" | "template";
  /** Its place in messages: "pve1:local". */
  where: string;
  bytes: number;
  /** Whether this config would create a machine from it. */
  wanted: boolean;
  /** Its current users, for messages: "VM 104 (worker-1)". */
  users: readonly string[];
  /** The reason why its users are unknown, if they are; then it is not removed. */
  usersUnknown?: string;
  /** Further facts for programs, such as the host and the volume or VM. */
  detail: Record<string, Json>;
}

/** The stored images, ISOs and templates. */
export interface Shelf {
  list(c: Read): Promise<Stored[]>;
  removal(one: Stored): AnyStep;
}

/** Switches machines on and off. */
export interface PowerControl {
  /** The power state. "unknown": it cannot be read now. "gone": the machine does not exist any more. */
  state(owned: Owned, c: Read): Promise<"on" | "off" | "unknown" | "gone">;
  /** Returns the reasons why it cannot be switched on. */
  guard(owned: Owned, c: Read): Promise<Finding[]>;
  on(owned: Owned, c: Write): Promise<void>;
  /** Shuts down its system, and switches it off when that takes too long. */
  off(owned: Owned, c: Write): Promise<void>;
  /** Whether its host would start it again after its system shut down by itself, so that `off` must be used. */
  restartsItself(owned: Owned, c: Read): Promise<boolean>;
}

/** Machines, images and networks of one infrastructure. */
export interface Platform {
  /**
   * `environment` is undefined while secrets.yaml does not exist: then nothing can be ours. `beforeRemoval`: everything is to be removed, so objects
   * that are being created and cannot be recognised yet are awaited.
   */
  inventory(environment: string | undefined, c: Read, purpose?: { beforeRemoval?: boolean }): Promise<Inventory>;
  /** Asked only while secrets.yaml does not exist; absent where machines carry no marks. */
  namesakes?(c: Read): Promise<Namesake[]>;
  steps(stage: Stage, found: Inventory, provisioning?: Provisioning): WorkItem[];
  /** All prerequisites of its steps, as `doctor` checks them; a plan runs those that its changes depend on. */
  checks(found: Inventory): Check[];
  /** The MAC address of a network card of a node's machine, 0 being the first; undefined when it is unknown before the machine exists. */
  mac(node: string, environment: string, card: number): string | undefined;
  /** The output of the step that creates or finds a node's machine. */
  machine(node: string): Ref<MachineFacts>;
  /** The steps that remove a machine. `consent`: the name that the user must confirm; undefined when the command itself is a removal. */
  removal(owned: Owned, consent: string | undefined): AnyStep[];
  /** Steps that remove the environment's other objects with the last machine; absent where there are none. */
  remains?(found: Inventory, after: readonly Ref<unknown>[]): AnyStep[];
  /** Absent where machines must be switched on by hand. */
  readonly power?: PowerControl;
  /** Absent where the platform stores no images or templates. */
  readonly shelf?: Shelf;
  /** The number of calls so far. */
  calls(): number;
  close(): void;
}
