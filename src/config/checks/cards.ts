import { parseIp, parseNetwork } from "../../lib/ip.ts";
import { find, type Path, pathName } from "../../lib/yaml/tree.ts";
import { listed, type Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check } from "./facts.ts";

/** On metal: which cards a node uses, and that what is said of them can be told to them. */
export const cards: Check = ({ pools }, report) => {
  for (const pool of pools) {
    knownCard(pool, report);
    bonds(pool, report);
    const path = pool.origin("nics");
    for (const [index, nic] of (pool.settings.nics ?? []).entries()) if (nic !== undefined) card(nic, [...path, index], report);
  }
};

/** Without a card that is known by its address, a node keeps what its network gives it. */
function knownCard({ index, own, settings, origin }: Pool, report: Report): void {
  if (own.mac !== undefined || settings.bond !== undefined || find(report.tree, ["nodes", index, "mac"]) !== undefined) return;
  for (const key of ["vlan", "gateway"] as const)
    if (settings[key] !== undefined)
      report.problem(origin(key), {
        message: `${pathName(origin(key))} cannot be told to nodes[${index}], whose network card is not known`,
        hint: 'add to the node:\nmac: "BC:24:11:00:00:11"\nor a bond; without them it keeps what its network gives it',
        on: "key",
      });
}

function bonds({ own, settings, origin }: Pool, report: Report): void {
  const { bond } = settings;
  if (bond === undefined) return;
  const path = origin("bond");
  if (own.mac !== undefined)
    report.problem(origin("mac"), {
      message: `${pathName(origin("mac"))} and ${pathName(path)} both say which network card the node uses`,
      hint: "remove mac: bond names its cards itself",
      on: "key",
    });
  if (bond.lacpRate !== undefined && bond.mode !== undefined && bond.mode !== "802.3ad")
    report.problem([...path, "lacpRate"], {
      message: `${pathName([...path, "lacpRate"])} is only for mode 802.3ad`,
      hint: "remove it, or set mode: 802.3ad",
      on: "key",
    });
}

type Nic = NonNullable<NonNullable<Pool["settings"]["nics"]>[number]>;

function card(nic: Nic, path: Path, report: Report): void {
  if (nic.mac === undefined && find(report.tree, [...path, "mac"]) === undefined)
    report.problem(
      path,
      {
        message: `${pathName(path)}.mac is missing`,
        hint: 'add to this entry:\nmac: "BC:24:11:00:00:12"',
        remark: "mac is missing",
      },
      "CONFIG_MISSING_KEY",
    );
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

/** The way to everywhere is the node's gateway; a card beside it has ways to networks. */
function routeFits({ to, via }: { to?: string | undefined; via?: string | undefined }, path: Path, report: Report): void {
  const network = to === undefined ? undefined : parseNetwork(to);
  const gateway = via === undefined ? undefined : parseIp(via);
  if (network?.prefix === 0)
    report.problem([...path, "to"], {
      message: `${pathName([...path, "to"])} is everywhere, which is reached through the node's gateway`,
      hint: "name the network that is behind this card; gateway on the node sets its default route",
    });
  else if (network !== undefined && gateway !== undefined && network.family !== gateway.family)
    report.problem([...path, "via"], {
      message: `${pathName([...path, "via"])} is IPv${gateway.family}, and the network it leads to is IPv${network.family}`,
      hint: "write a gateway of the same family",
    });
}
