import type { AnyStep, Read, Stage, WorkItem } from "../engine/step.ts";
import type { Json } from "../lib/json.ts";

/** Something that exists and carries our mark. */
export interface Owned {
  /** The node's name. */
  name: string;
  /** What a person calls it: "machine worker-3". */
  subject: string;
  /** Where it is, for a person: "VM 20417 on pve2". */
  where: string;
  role: string;
  address: string;
  state: string;
  /** What a program may want to know besides. */
  detail: Record<string, Json>;
}

/** What exists of an environment, found at the start of every command. */
export interface Inventory {
  /** Whose things were looked for; undefined while secrets.yaml does not exist. */
  environment: string | undefined;
  owned: readonly Owned[];
  /** Look like ours but are not: named, never touched. */
  foreign: readonly { where: string; why: string }[];
}

/** Machines, images and networks of one infrastructure. */
export interface Platform {
  /** `environment` is undefined while secrets.yaml does not exist: then nothing can be ours. */
  inventory(environment: string | undefined, c: Read): Promise<Inventory>;
  steps(stage: Stage, found: Inventory): WorkItem[];
  /** `consent`: the name a person must give to have it removed; undefined when the whole command is about removing. */
  removal(owned: Owned, consent: string | undefined): AnyStep[];
  /** How many calls it took so far. */
  calls(): number;
  close(): void;
}
