import { PROXMOX_PRIVILEGES, type PrivilegeName } from "../../../catalog/proxmox-privileges.ts";
import { permissions, permissionsAt, roles } from "../client/access.ts";
import type { ProxmoxClient } from "../client/client.ts";
import { version } from "../client/nodes.ts";
import type { Advisor, Asked, Refusal } from "../client/refusal.ts";
import type { ConfigOnProxmox } from "../config/config-on-proxmox.ts";
import { grantCommands } from "./grant.ts";
import { heldAt } from "./held.ts";
import { rightsNeeded } from "./needed.ts";
import { releaseOf } from "./release.ts";
import type { Right } from "./right.ts";

/** Explains a 403 during a run: the missing privilege, the reason for it, and the commands by which root grants it. */
export function advisorFor(client: ProxmoxClient, config: ConfigOnProxmox): Advisor {
  return async (refusal, asked) => {
    const wanted = wantedBy(refusal, asked);
    if (!wanted) return undefined;
    try {
      const [running, listed, there] = await Promise.all([version(client), permissions(client), roles(client)]);
      const needed = rightsNeeded(config, releaseOf(running));
      const right = rightFor(wanted, needed);
      const held = await heldAt(listed, [right.path], (paths) => permissionsAt(client, paths));
      const commands = grantCommands([right], needed, { identity: asked.identity, permissions: held, roles: there });
      return [
        `as root on ${hostNamed(config)}: ${asked.identity} lacks ${right.privilege} on ${right.path}, ${right.why}`,
        ...commands,
      ].join("\n");
    } catch {
      return `${asked.identity} lacks ${wanted.privileges.join(" or ")} on ${wanted.path}`;
    }
  };
}

/** A host of the config; any of them will do, because roles belong to the cluster. */
export function hostNamed({ proxmox }: ConfigOnProxmox): string {
  return proxmox.hosts[0] ?? "a Proxmox host";
}

interface Wanted {
  path: string;
  privileges: readonly string[];
}

/** "Permission check failed (/vms/100, VM.Clone)". When one of several privileges would do, Proxmox names none, and the call decides. */
export function wantedBy({ reason }: Refusal, { method, path }: Pick<Asked, "method" | "path">): Wanted | undefined {
  const [, at, names] = /\((\/[^,]*), ([^)]*)\)/.exec(reason) ?? [];
  if (at !== undefined && names !== undefined) return { path: at, privileges: names.split("|") };
  const [, host = ""] = /^\/nodes\/([^/]+)\//.exec(path) ?? [];
  if (path.endsWith("/download-url")) return { path: `/nodes/${host}`, privileges: ["Sys.AccessNetwork"] };
  if (method === "POST" && /\/(?:qemu|clone)$/.test(path)) return { path: "/vms", privileges: ["VM.Allocate"] };
  const [, storage] = /\/storage\/([^/]+)\/upload$/.exec(path) ?? [];
  if (storage !== undefined) return { path: `/storage/${storage}`, privileges: ["Datastore.AllocateTemplate"] };
  return undefined;
}

/** Finds the needed right for a refusal: "/vms" stands for a machine. Without one, builds it from Proxmox's message. */
function rightFor({ path, privileges }: Wanted, needed: readonly Right[]): Right {
  const fitting = needed
    .filter(({ privilege, or }) => privileges.includes(privilege) || (or !== undefined && privileges.includes(or)))
    .filter((right) => path === right.path || path.startsWith(`${right.path}/`) || (path === "/vms" && right.orAt !== undefined))
    .sort((a, b) => b.path.length - a.path.length);
  if (fitting[0]) return fitting[0];
  const [name = ""] = privileges;
  const lets = name in PROXMOX_PRIVILEGES ? PROXMOX_PRIVILEGES[name as PrivilegeName].lets : "do this";
  return { privilege: name as PrivilegeName, path, role: "TalosmithMore", why: `to ${lets}` };
}
