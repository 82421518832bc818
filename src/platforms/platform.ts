import type { Json } from "@talosmith/lib/json.ts";
import type { NodeConfig } from "../config/config.ts";
import type { AnyStep, Check, Finding, Read, Ref, Stage, WorkItem, Write } from "../engine/step.ts";
import type { Maintenance } from "../maintenance/maintenance.ts";
import type { MachineConfig } from "../talos/config/machine-config.ts";

/** Something that exists and carries our mark. */
export interface Owned {
  /** The node's name. */
  name: string;
  /** In the platform's own words: a VM's id. */
  id?: number;
  /** Tells this machine from the one that will take its place; absent when the platform cannot tell. */
  instance?: string;
  /** What a person calls it: "machine worker-3". */
  subject: string;
  /** Where it is, for a person: "VM 20417 on pve2". */
  where: string;
  role: string;
  address: string;
  state: string;
  /** It is a control plane of a cluster whose etcd has been bootstrapped; its mark says so. */
  bootstrapped: boolean;
  /** The config wants of it what only another machine can be, besides its address and role, which tell by themselves. */
  remade?: true;
  /** What a program may want to know besides. */
  detail: Record<string, Json>;
}

/** What is known of a node's machine once it is there: enough to recognise it before secrets are sent to it. */
export interface MachineFacts {
  address: string;
  /** What its firmware says; absent when the platform does not know. */
  uuid?: string;
  /** Of its network card, upper case. */
  mac?: string;
  /** Of a disk it has. */
  diskSerial?: string;
  /** In the platform's own words: a VM's id. */
  id?: number;
}

/** What each node is to be told, for machines that are told by what is written on their disk. Needs the step that makes the secrets. */
export interface FirstConfigs {
  /** The whole config of one node. */
  of(node: NodeConfig, c: Read): MachineConfig;
}

/** What the stage provision needs besides. */
export interface Provisioning {
  configs: FirstConfigs;
  maintenance: Maintenance;
}

/** What exists of an environment, found at the start of every command. */
export interface Inventory {
  /** Whose things were looked for; undefined while secrets.yaml does not exist. */
  environment: string | undefined;
  owned: readonly Owned[];
  /** The names of the nodes whose machines are there, switched on or not: only these are ever asked anything. */
  there: ReadonlySet<string>;
  /** Look like ours but are not: named, never touched. */
  foreign: readonly { where: string; why: string }[];
  /** Were made nodes by us, and nobody answers there now: what became of them cannot be told from here. */
  unseen?: readonly Owned[];
  /** Silent machines of which nothing is written down: they may be nodes of ours, off, or nothing at all. */
  silent?: readonly string[];
  /** Disks of ours that outlive their machines, by what the platform calls them; absent where there is no such thing. */
  kept?: readonly string[];
}

/** Something kept on the infrastructure for machines to be made from. It is nobody's alone: other environments may use it. */
export interface Stored {
  name: string;
  kind: "image" | "ISO" | "template";
  /** For a person: "pve1:local". */
  where: string;
  bytes: number;
  /** This config would make a machine from it. */
  wanted: boolean;
  /** What needs it right now, for a person: "VM 104 (worker-1)". */
  users: readonly string[];
  /** Why nobody can say what needs it, when that is so; then it is not removed. */
  usersUnknown?: string;
  /** What a program may want to know besides; a host and a volume or a VM among it. */
  detail: Record<string, Json>;
}

/** What is kept for machines to be made from. */
export interface Shelf {
  list(c: Read): Promise<Stored[]>;
  removal(one: Stored): AnyStep;
}

/** Switches machines on and off. */
export interface PowerControl {
  /** "unknown": it cannot be asked just now. "gone": this machine does not exist any more. */
  state(owned: Owned, c: Read): Promise<"on" | "off" | "unknown" | "gone">;
  /** What keeps it from being switched on. */
  guard(owned: Owned, c: Read): Promise<Finding[]>;
  on(owned: Owned, c: Write): Promise<void>;
  /** Has the system on it shut down; one that does not within a limit is switched off. */
  off(owned: Owned, c: Write): Promise<void>;
  /** It would be started again if its system switched it off by itself: `off` must be used. */
  restartsItself(owned: Owned, c: Read): Promise<boolean>;
}

/** Machines, images and networks of one infrastructure. */
export interface Platform {
  /** `environment` is undefined while secrets.yaml does not exist: then nothing can be ours. */
  inventory(environment: string | undefined, c: Read): Promise<Inventory>;
  steps(stage: Stage, found: Inventory, provisioning?: Provisioning): WorkItem[];
  /** What only `doctor` looks at, besides the checks of preflight: what takes long, or asks others than the platform. */
  examination(found: Inventory): Check[];
  /** Of a network card a node's machine has or will have, 0 the first; undefined when nobody can know before it is there. */
  mac(node: string, environment: string, card: number): string | undefined;
  /** Given out by the step that makes sure of a node's machine. */
  machine(node: string): Ref<MachineFacts>;
  /** `consent`: the name a person must give to have it removed; undefined when the whole command is about removing. */
  removal(owned: Owned, consent: string | undefined): AnyStep[];
  /** What else is ours and goes with the last machine; absent where there is no such thing. */
  remains?(found: Inventory, after: readonly Ref<unknown>[]): AnyStep[];
  /** Absent where a person has to switch machines on. */
  readonly power?: PowerControl;
  /** Absent where nothing is kept for machines to be made from. */
  readonly shelf?: Shelf;
  /** How many calls it took so far. */
  calls(): number;
  close(): void;
}
