import { after, isUsable, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { itemPath, listed, type Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check } from "./facts.ts";

/** Checks the settings of additional network cards. */
export const cards: Check = ({ pools }, report) => {
  for (const pool of pools) {
    const path = pool.origin("nics");
    for (const [index, nic] of (pool.settings.nics ?? []).entries()) {
      if (nic === undefined) continue;
      card(nic, [...path, index], report);
      ownAddresses(nic, pool, pools, [...path, index], report);
    }
  }
};

type Nic = NonNullable<NonNullable<Pool["settings"]["nics"]>[number]>;

function card(nic: Nic, path: Path, report: Report): void {
  for (const [index, route] of (nic.routes ?? []).entries()) routeFits(route ?? {}, [...path, "routes", index], report);
  const ids = (nic.vlans ?? []).map((vlan) => vlan?.id);
  for (const [index, id] of ids.entries())
    if (id !== undefined && ids.indexOf(id) !== index)
      report.problem([...path, "vlans", index, "id"], {
        message: `${pathName([...path, "vlans", index, "id"])} is the same as that of vlans[${ids.indexOf(id)}]`,
        hint: "join the two: a VLAN may have several addresses",
      });
  if (
    nic.mtu !== undefined &&
    nic.mtu < 1280 &&
    [...listed(nic.ip)].some((text) => text !== undefined && parseNetwork(text)?.family === 6)
  )
    report.problem([...path, "mtu"], {
      message: `${pathName([...path, "mtu"])} is less than IPv6 needs`,
      hint: "use at least 1280",
    });
}

/** Checks a route of an additional card: no default route, and one address family. */
function routeFits({ to, via }: { to?: string | undefined; via?: string | undefined }, path: Path, report: Report): void {
  const network = to === undefined ? undefined : parseNetwork(to);
  const gateway = via === undefined ? undefined : parseIp(via);
  if (network?.prefix === 0)
    report.problem([...path, "to"], {
      message: `${pathName([...path, "to"])} is the default route, which belongs to the node's gateway`,
      hint: "write the network behind this card; gateway on the node sets the default route",
    });
  else if (network !== undefined && gateway !== undefined && network.family !== gateway.family)
    report.problem([...path, "via"], {
      message: `${pathName([...path, "via"])} is IPv${gateway.family}, but the network it leads to is IPv${network.family}`,
      hint: "write a gateway of the same family",
    });
}

/** Checks addresses of additional cards: those of a pool count up with its nodes, those of the defaults fit only one node. */
function ownAddresses(nic: Nic, pool: Pool, pools: readonly Pool[], path: Path, report: Report): void {
  const written: [Path, Nic["ip"]][] = [
    [[...path, "ip"], nic.ip],
    ...(nic.vlans ?? []).map((vlan, index): [Path, Nic["ip"]] => [[...path, "vlans", index, "ip"], vlan?.ip]),
  ];
  const shared = path[0] === "defaults";
  const sharers = pools.filter(({ origin }) => pathName(origin("nics")) === pathName(path.slice(0, -1)));
  const nodes = sharers.reduce((sum, { nodes }) => sum + nodes.length, 0);
  for (const [key, ip] of written)
    for (const [index, text] of listed(ip).entries()) {
      const network = text === undefined ? undefined : parseNetwork(text);
      const at = itemPath(report.tree, key, index);
      if (network === undefined) continue;
      if (shared && nodes > 1)
        report.problem(at, {
          message: `${pathName(at)} is one address for ${nodes} nodes`,
          hint: "write nics on the entries of nodes, where addresses count up with count; or use dhcp: true",
          remark: `for ${nodes} nodes`,
        });
      else if (pool.nodes.length > 1 && !isUsable(network, after(network.address, pool.nodes.length - 1)))
        report.problem(at, {
          message: `${pathName(at)} leaves no room in ${network.text} for ${pool.nodes.length} nodes`,
          hint: "start lower, or reduce count",
        });
    }
}
