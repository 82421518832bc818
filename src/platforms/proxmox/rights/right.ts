import type { PrivilegeName } from "../../../catalog/proxmox-privileges.ts";

/** A privilege that something in the config needs. */
export interface Right {
  privilege: PrivilegeName;
  /** Where it is given: "/vms", "/storage/local". */
  path: string;
  /** Where it must hold, when not at the path itself: below "/vms" are the machines. */
  at?: string;
  /** Holding it there does as well: Proxmox asks a machine's pool first, then the machine. */
  orAt?: string;
  /** Holding this instead does as well. */
  or?: PrivilegeName;
  /** "to store the Talos image" */
  why: string;
  /** What is lost without it, when everything else still works. */
  without?: string;
  /** The role of ours that carries it. */
  role: RoleName;
}

export type RoleName =
  | "TalosmithMachines"
  | "TalosmithTemplates"
  | "TalosmithOthers"
  | "TalosmithPools"
  | "TalosmithKeptDisks"
  | "TalosmithDisks"
  | "TalosmithImages"
  | "TalosmithNetwork"
  | "TalosmithDevices"
  | "TalosmithDownload"
  | "TalosmithStartOrder"
  | "TalosmithHosts"
  /** For what a refusal names and no table of ours knows. */
  | "TalosmithMore";
