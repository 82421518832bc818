import type { PrivilegeName } from "../../../catalog/proxmox-privileges.ts";

/** A privilege that something in the config needs. */
export interface Right {
  privilege: PrivilegeName;
  /** The path where it is granted: "/vms", "/storage/local". */
  path: string;
  /** The path where it must hold, when not at `path` itself: machines are below "/vms". */
  at?: string;
  /** An alternative path: Proxmox checks a machine's pool first, then the machine. */
  orAt?: string;
  /** An alternative privilege. */
  or?: PrivilegeName;
  /** "to store the Talos image" */
  why: string;
  /** The loss without it, for a right that is not essential. */
  without?: string;
  /** The talosmith role that contains it. */
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
  /** For privileges that a refusal names and the table does not contain. */
  | "TalosmithMore";
