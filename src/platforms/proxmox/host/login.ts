import { posix } from "node:path";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";

/** As whom we come to the API. */
export interface Login {
  /** "talosmith@pve" */
  user: string;
  /** Its token's own name; absent for who comes with a password. */
  token?: string;
  /** "talosmith@pve!homelab" */
  identity: string;
  /** What the config has of the token's secret; empty = nothing. */
  secret: string;
}

const USER = "talosmith@pve";

/** The one the config names; where it names nobody yet, a user of ours with a token for this cluster alone. */
export function loginOf({ config }: ProxmoxEnvironment): Login {
  const { login } = config.proxmox;
  if (login.by === "password") return { user: login.user, identity: login.user, secret: "" };
  const [, user, token, secret = ""] = /^([^!=\s]+)!([^=\s]+)(?:=(.*))?$/.exec(login.token.reveal().trim()) ?? [];
  if (user !== undefined && token !== undefined) return { user, token, identity: `${user}!${token}`, secret };
  const name = tokenName(config.cluster.name);
  return { user: USER, token: name, identity: `${USER}!${name}`, secret: "" };
}

/** Token names begin with a letter and have two characters at least. */
function tokenName(cluster: string): string {
  return /^[A-Za-z][\w.-]+$/.test(cluster) ? cluster : `cluster-${cluster}`;
}

export const TOKEN_FILE = "proxmox-token";

/** Where a token's secret is written, and what must then stand in the config; `line` is absent when it stands there already. */
export interface TokenPlace {
  path: string;
  /** As a person writes it: "environments/homelab/proxmox-token". */
  shown: string;
  line?: string;
}

/** The file the config refers to when it is not there yet; a file that is there is somebody's, and stays. */
export function tokenPlace(env: ProxmoxEnvironment, exists: (path: string) => boolean): TokenPlace {
  const [, referred] = /^\$\{file:([^}]+)\}$/.exec(env.tokenReference ?? "") ?? [];
  const named = referred === undefined ? undefined : posix.isAbsolute(referred) ? referred : posix.join(env.folder, referred);
  const own = posix.join(env.folder, TOKEN_FILE);
  if (named !== undefined && (named === own || !exists(named)))
    return { path: named, shown: posix.isAbsolute(referred ?? "") ? named : posix.join(env.shown, referred ?? "") };
  return { path: own, shown: posix.join(env.shown, TOKEN_FILE), line: `proxmox.token: \${file:${TOKEN_FILE}}` };
}
