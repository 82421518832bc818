import { formatIp } from "@talosmith/lib/ip.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { label } from "../../../../config/checks/addresses.ts";
import { placesOfSetting } from "../../../../config/checks/facts.ts";
import { DEFAULT_SSH } from "../../../../config/defaults.ts";
import type { PoolNode } from "../../../../config/pools.ts";
import type { Report } from "../../../../config/report.ts";
import type { VpsFacts, VpsPool } from "../draft.ts";
import { loginOf, loginPath } from "../rescue-login.ts";
import { FIRST } from "../schema/rescue.ts";
import type { VpsCheck } from "./check.ts";

/** Checks that each node is a separate server, its host key, and the provider's settings. */
export const servers: VpsCheck = (facts, report) => {
  provider(facts, report);
  believedKeys(facts, report);
  const logins = new Map<string, { node: PoolNode; pool: VpsPool; written: boolean }>();
  const names = new Map<string, string>();
  for (const pool of facts.pools) {
    ownLogin(pool, logins, facts, report);
    ownServer(pool, names, report);
  }
};

function provider({ draft }: VpsFacts, report: Report): void {
  const written = draft.vps?.provider;
  if (typeof written !== "object" || written.name === undefined || written.name === "hetzner") return;
  for (const key of ["token", "url"] as const)
    if (report.has(["vps", "provider", key]))
      report.problem(["vps", "provider", key], {
        message: `vps.provider.${key} is set, but talosmith does not use an API of ${written.name}`,
        hint: `remove it; ${ownCommand("doctor", typedEnvironment())} prints the steps and rules for this provider`,
        on: "key",
      });
}

function believedKeys(facts: VpsFacts, report: Report): void {
  const places = [["vps", "ssh"], ...placesOfSetting(facts, "ssh")].map((path) => [...path, "hostKey"]);
  const believed = new Set(
    facts.pools.flatMap((pool) =>
      loginOf(facts.draft, pool).hostKey === FIRST ? pathName(loginPath(facts.draft, pool, "hostKey") ?? []) : [],
    ),
  );
  for (const path of places)
    if (believed.has(pathName(path)))
      report.warn(path, {
        message: `${pathName(path)} is first: talosmith trusts whatever answers at the server's address the first time, even an attacker in between, and sends it all secrets of the cluster`,
        hint: 'write the fingerprint "SHA256:…" that the provider\'s console shows for the rescue system, if it shows one',
      });
}

/** Checks that no two nodes have the same login address, which would be one server. */
function ownLogin(
  pool: VpsPool,
  taken: Map<string, { node: PoolNode; pool: VpsPool; written: boolean }>,
  { draft }: VpsFacts,
  report: Report,
): void {
  const { host, port = DEFAULT_SSH.port } = loginOf(draft, pool);
  for (const node of pool.nodes) {
    const [address] = node.addresses;
    const at = host ?? (address && formatIp(address));
    if (at === undefined) continue;
    const login = `${at} port ${port}`;
    const other = taken.get(login);
    if (other === undefined) {
      taken.set(login, { node, pool, written: host !== undefined });
      continue;
    }
    // That two nodes have one address is told already.
    if (host === undefined && !other.written) continue;
    const path = loginPath(draft, pool, "host") ?? pool.origin("ip");
    report.problem(path, {
      message: `${pathName(path)} makes ${label(node, pool)} use ${login}, which is ${label(other.node, other.pool)}`,
      hint: "give each server its own host or port, or remove host to log in at the node's address",
      remark: "used twice",
    });
    return;
  }
}

function ownServer(pool: VpsPool, taken: Map<string, string>, report: Report): void {
  const { server } = pool.own;
  if (server === undefined) return;
  const path = pool.origin("server");
  const other = taken.get(server);
  if (pool.nodes.length > 1)
    report.problem(path, {
      message: `${pathName(path)} is one server for ${pool.nodes.length} nodes`,
      hint: "write the nodes one by one, or remove it: servers are found by their addresses",
    });
  else if (other !== undefined)
    report.problem(path, {
      message: `${pathName(path)} is the server of ${other}`,
      hint: "give one of the two another, or remove it: servers are found by their addresses",
      remark: "used twice",
    });
  for (const node of pool.nodes) taken.set(server, label(node, pool));
}
