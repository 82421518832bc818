import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Trust } from "@talosmith/lib/world/world.ts";
import type { Facts } from "../checks/facts.ts";
import type { ProxmoxConfig, ProxmoxLogin } from "../config.ts";
import * as defaults from "../defaults.ts";
import { sshOf } from "./ssh.ts";
import { defined, sure } from "./values.ts";

export function proxmoxOf({ draft, hosts }: Facts, trust: Trust, sshKey: string | undefined, redactor: Redactor): ProxmoxConfig {
  const proxmox = sure(draft.proxmox);
  return {
    url: new URL(sure(proxmox.url)).origin,
    trust,
    login: loginOf(proxmox, redactor),
    hosts: [...sure(hosts)],
    storage: { ...defaults.DEFAULT_STORAGE, ...defined(proxmox.storage ?? {}) },
    bridge: proxmox.bridge ?? defaults.DEFAULT_BRIDGE,
    ssh: sshOf(proxmox.ssh, proxmox.url, sshKey, redactor),
  };
}

/** A file without problems lacks the secret only when whoever loads it makes the login. */
function loginOf({ token, user, password }: NonNullable<Facts["draft"]["proxmox"]>, redactor: Redactor): ProxmoxLogin {
  if (user === undefined) return { by: "token", token: redactor.secret(token ?? "") };
  return { by: "password", user, password: redactor.secret(password ?? "") };
}
