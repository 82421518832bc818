import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Trust } from "@talosmith/lib/world/world.ts";
import { sshOf } from "../../../../config/resolve/ssh.ts";
import { defined, sure } from "../../../../config/resolve/values.ts";
import type { ProxmoxConfig, ProxmoxLogin } from "../config-on-proxmox.ts";
import * as defaults from "../defaults.ts";
import type { ProxmoxFacts } from "../draft.ts";

export function proxmoxOf(
  { draft, hosts }: ProxmoxFacts,
  tls: Trust,
  sshKey: string | undefined,
  redactor: Redactor,
): ProxmoxConfig {
  const proxmox = sure(draft.proxmox);
  return {
    url: new URL(sure(proxmox.url)).origin,
    tls,
    ...loginOf(proxmox, redactor),
    hosts: [...sure(hosts)],
    storage: { ...defaults.DEFAULT_STORAGE, ...defined(proxmox.storage ?? {}) },
    bridge: proxmox.bridge ?? defaults.DEFAULT_BRIDGE,
    ssh: sshOf(proxmox.ssh, hostOf(sure(proxmox.url)), sshKey, redactor),
  };
}

/** A file without problems lacks the secret only for a command that creates the login. */
function loginOf({ token, user, password }: NonNullable<ProxmoxFacts["draft"]["proxmox"]>, redactor: Redactor): ProxmoxLogin {
  if (user === undefined) return { token: redactor.secret(token ?? "") };
  return { user, password: redactor.secret(password ?? "") };
}

/** The host in a web address; IPv6 addresses stand in brackets there. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replaceAll(/[[\]]/g, "");
}
