import { after, contains, formatIp, type Ip, isUsable, type Network, overlap, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Report } from "../report.ts";
import { freeRange, label, unusable } from "./addresses.ts";
import type { Check, Facts } from "./facts.ts";
import { nodeSubnets, subnetsOf } from "./subnets.ts";

const CIDR = ["wireguard", "cidr"];

/** Checks the WireGuard network: no overlaps, and one address for each node and computer. */
export const wireguard: Check = (facts, report) => {
  const { draft } = facts;
  const network = draft.wireguard?.cidr === undefined ? undefined : parseNetwork(draft.wireguard.cidr);
  for (const key of ["name", "publicKey"] as const) notTwice(key, facts, report);
  if (network === undefined) return;
  apart(network, facts, report);
  const nodes = facts.pools.flatMap((pool) => pool.nodes.map((node) => label(node, pool)));
  const own = nodes.map((name, index) => ({ name, ip: after({ family: network.family, value: network.first }, index + 1) }));
  const last = own.at(-1)?.ip;
  const peers = draft.wireguard?.peers ?? [];
  if (last !== undefined && !isUsable(network, after(last, peers.length)))
    report.problem(CIDR, {
      message: `wireguard.cidr has no room for ${nodes.length} nodes and ${peers.length} ${peers.length === 1 ? "peer" : "peers"}`,
      hint: "use a shorter prefix length, such as 10.250.0.0/24",
    });
  else peerAddresses(network, own, facts, report);
};

function apart(network: Network, facts: Facts, report: Report): void {
  const subnets = (["podSubnets", "serviceSubnets"] as const).flatMap((kind) =>
    (subnetsOf(kind, facts) ?? []).map((subnet) => ({ ...subnet, name: `cluster.${kind}` })),
  );
  const others = [...subnets, ...nodeSubnets(facts).map((subnet) => ({ ...subnet, name: pathName(subnet.path) }))];
  const other = others.find((one) => overlap(one.network, network));
  if (other === undefined) return;
  report.problem(CIDR, {
    message: `wireguard.cidr overlaps ${other.name}`,
    hint: "choose a network that nothing else is in, such as 10.250.0.0/24",
    remark: `${network.text} and ${other.network.text}`,
  });
}

function peerAddresses(network: Network, nodes: readonly { name: string; ip: Ip }[], { draft }: Facts, report: Report): void {
  const taken = new Map(nodes.map(({ name, ip }) => [formatIp(ip), name]));
  const from = nodes.at(-1)?.ip;
  const [low, high] = freeRange(network).split(" to ");
  const range = `${from === undefined ? low : formatIp(after(from, 1))} to ${high}`;
  for (const [index, peer] of (draft.wireguard?.peers ?? []).entries()) {
    const ip = peer?.ip === undefined ? undefined : parseIp(peer.ip);
    if (ip === undefined) continue;
    const path = ["wireguard", "peers", index, "ip"];
    const owner = taken.get(formatIp(ip));
    if (!contains(network, ip))
      report.problem(path, {
        message: `${pathName(path)} is outside wireguard.cidr`,
        hint: `choose an address from ${range}`,
        remark: `not in ${network.text}`,
      });
    else if (!isUsable(network, ip)) report.problem(path, unusable(path, network, ip, range));
    else if (owner !== undefined)
      report.problem(path, {
        message: `${pathName(path)} is the address of ${owner}`,
        hint: `choose another from ${range}: nodes have the first ones`,
        remark: `taken by ${owner}`,
      });
    else taken.set(formatIp(ip), peer?.name ?? `peers[${index}]`);
  }
}

function notTwice(key: "name" | "publicKey", { draft }: Facts, report: Report): void {
  const all = (draft.wireguard?.peers ?? []).map((peer) => peer?.[key]);
  for (const [index, value] of all.entries()) {
    const path = ["wireguard", "peers", index, key];
    if (value === undefined || all.indexOf(value) === index) continue;
    report.problem(path, {
      message: `${pathName(path)} is used by another peer`,
      hint: key === "name" ? "give one of the two another name" : "give each computer its own key",
      remark: "used twice",
    });
  }
}
