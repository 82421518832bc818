import { type Check, check, type Finding, type Read } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { permissions, permissionsAt, roles } from "../client/access.ts";
import { isRoot } from "../client/login.ts";
import { hostNamed } from "../rights/advice.ts";
import { grantCommands, toBeGiven } from "../rights/grant.ts";
import { heldAt } from "../rights/held.ts";
import { lacking, placesFor } from "../rights/lacking.ts";
import { rightsNeeded } from "../rights/needed.ts";
import type { Right } from "../rights/right.ts";
import type { Site } from "../site.ts";
import { ok } from "./finding.ts";
import { bridgesOf, hostsToAsk, release } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

/** Checks that the login has all privileges this config needs, and names the missing ones with the commands that grant them. */
export function rightsAreThere(site: Site, found: Inventory): Check {
  const { client, env } = site;
  return check({
    id: "preflight/rights",
    stage: "preflight",
    title: `rights of ${client.identity}`,
    needs: [{ step: PREFLIGHT }],
    run: async (c) => {
      if (isRoot(env.config.proxmox)) return [ok("RIGHTS", "root may do everything")];
      const needed = rightsNeeded(env.config, await release(site, c));
      const listed = await c.shared("permissions", () => permissions(client, c.signal));
      const held = await heldAt(listed, placesFor(needed), (paths) => permissionsAt(client, paths, c.signal));
      // A machine that the login can see may have its own entries, which count.
      const machines = found.owned.flatMap(({ name, id }) => (id === undefined ? [] : [{ name, vmid: id }]));
      const missing = toBeGiven(await withoutVirtualNetworks(site, c, lacking(held, needed, machines)), held);
      if (missing.length === 0) return [ok("RIGHTS", `${client.identity} has all ${needed.length} privileges this config needs`)];
      const there = await c.shared("roles", () => roles(client, c.signal));
      const commands = (some: readonly Right[]) =>
        grantCommands(some, needed, { identity: client.identity, permissions: held, roles: there });
      return findings(site, missing, needed.length, commands);
    },
  });
}

/**
 * Drops missing rights on virtual networks that are listed. Their zone is not known here, and Proxmox lists a virtual network only to logins that may
 * use or audit it.
 */
async function withoutVirtualNetworks(site: Site, c: Read, missing: readonly Right[]): Promise<Right[]> {
  if (!missing.some(({ privilege }) => privilege === "SDN.Use")) return [...missing];
  const lists = await Promise.all((await hostsToAsk(site, c)).map((host) => bridgesOf(site, c, host)));
  const listed = new Set(lists.flat().flatMap(({ name, virtual }) => (virtual ? [name] : [])));
  return missing.filter(({ privilege, path }) => privilege !== "SDN.Use" || !listed.has(path.split("/")[4] ?? ""));
}

function findings(
  { client, env }: Site,
  missing: readonly Right[],
  of: number,
  commands: (some: readonly Right[]) => string[],
): Finding[] {
  const needed = missing.filter(({ without }) => without === undefined);
  const useful = missing.filter(({ without }) => without !== undefined);
  const fix = (some: readonly Right[]) => [`as root on ${hostNamed(env.config)}:`, ...commands(some)].join("\n");
  return [
    ...(needed.length === 0
      ? []
      : [
          {
            level: "fail" as const,
            code: "RIGHTS_MISSING",
            message: [`${client.identity} lacks ${needed.length} of ${of} privileges`, ...inWords(needed)].join("\n"),
            hint: fix(useful.length === 0 ? needed : missing),
          },
        ]),
    ...(useful.length === 0
      ? []
      : [
          {
            level: "warn" as const,
            code: "RIGHTS_USEFUL",
            message: [`${client.identity} lacks ${useful.length} privileges that would help`, ...inWords(useful)].join("\n"),
            hint: needed.length === 0 ? fix(useful) : "the commands above grant these as well",
          },
        ]),
  ];
}

/** Formats rights in columns: privilege, path and reason. */
function inWords(rights: readonly Right[]): string[] {
  const names = rights.map(({ privilege, path }) => `${privilege} on ${path}`);
  const width = Math.max(...names.map((name) => name.length));
  return rights.map(({ why, without }, index) => {
    const lost = without === undefined ? "" : `; without it ${without}`;
    return `  ${(names[index] ?? "").padEnd(width)}  ${why}${lost}`;
  });
}
