import type { Lab } from "../kernel/kernel.ts";
import { hostNamed, proxmoxState } from "../proxmox/state.ts";
import { afterBoot } from "./boot.ts";
import { installed } from "./installed.ts";
import { type RootView, sshHost } from "./state.ts";

/** Only inside of a turn: what it gives out is the state itself. */
export function rootView(lab: Lab, name: string): RootView {
  const proxmox = proxmoxState(lab);
  const ssh = sshHost(lab, name);
  const host = hostNamed(proxmox, name);
  if (!ssh || !host) throw new Error(`the lab has no host ${name}`);
  ssh.system ??= installed(host, ssh.bootloader, proxmox);
  const view = { lab, name, ssh, system: ssh.system, host, proxmox };
  afterBoot(view);
  return view;
}
