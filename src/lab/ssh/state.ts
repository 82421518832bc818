import type { Lab } from "../kernel/kernel.ts";
import type { OpenSshKey } from "./open-ssh-key.ts";

export const SERVICE = "ssh";

export interface SshState {
  hosts: SshHost[];
  /** Of root, on every host. */
  password: string;
  /** Whoever has its private part is root; absent before the first start. */
  userKey?: OpenSshKey;
}

export interface SshHost {
  name: string;
  /** The last number of its address. */
  last: number;
  /** Absent before the first start; kept then, since clients pin it. */
  hostKey?: OpenSshKey;
}

export function sshState(lab: Lab): SshState {
  return lab.state<SshState>(SERVICE);
}
