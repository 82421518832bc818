import { posix } from "node:path";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";

/** The account for the API. */
export interface Login {
  /** "talosmith@pve" */
  user: string;
  /** The name of its token; absent for a login with a password. */
  token?: string;
  /** "talosmith@pve!homelab" */
  identity: string;
  /** The token's secret in the config; empty when it has none. */
  secret: string;
}

const USER = "talosmith@pve";

/** The login that the config names; else the user talosmith@pve with a token for this cluster. */
export function loginOf({ config }: ProxmoxEnvironment): Login {
  const { proxmox } = config;
  if ("user" in proxmox) return { user: proxmox.user, identity: proxmox.user, secret: "" };
  const [, user, token, secret = ""] = /^([^!=\s]+)!([^=\s]+)(?:=(.*))?$/.exec(proxmox.token.reveal().trim()) ?? [];
  if (user !== undefined && token !== undefined) return { user, token, identity: `${user}!${token}`, secret };
  const name = tokenName(config.cluster.name);
  return { user: USER, token: name, identity: `${USER}!${name}`, secret: "" };
}

/** Token names begin with a letter and have two characters at least. */
function tokenName(cluster: string): string {
  return /^[A-Za-z][\w.-]+$/.test(cluster) ? cluster : `cluster-${cluster}`;
}

export const TOKEN_FILE = "proxmox-token";

/** The file for a token's secret, and the `line` that the config needs for it; absent when the config has it. */
export interface TokenPlace {
  path: string;
  /** The path for display: "environments/homelab/proxmox-token". */
  shown: string;
  line?: string;
}

/**
 * Chooses the file for a token's secret: the one that the config refers to unless that exists already, else `proxmox-token`. Another file is never
 * overwritten.
 */
export function tokenPlace(env: ProxmoxEnvironment, exists: (path: string) => boolean): TokenPlace {
  const [, referred] = /^\$\{file:([^}]+)\}$/.exec(env.tokenReference ?? "") ?? [];
  const named = referred === undefined ? undefined : posix.isAbsolute(referred) ? referred : posix.join(env.folder, referred);
  const own = posix.join(env.folder, TOKEN_FILE);
  if (named !== undefined && (named === own || !exists(named)))
    return { path: named, shown: posix.isAbsolute(referred ?? "") ? named : posix.join(env.shown, referred ?? "") };
  return { path: own, shown: posix.join(env.shown, TOKEN_FILE), line: `proxmox.token: \${file:${TOKEN_FILE}}` };
}
