import { type Network, overlap, parseNetwork } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { DEFAULT_SUBNETS } from "../defaults.ts";
import { networkOf, privateNetwork } from "../node-networks.ts";
import type { Report } from "../report.ts";
import { type Check, type Facts, isAtProvider } from "./facts.ts";

type Kind = "podSubnets" | "serviceSubnets";

/** A network and its path; a default has the path of the section. */
interface Subnet {
  readonly network: Network;
  readonly path: readonly (string | number)[];
  readonly written: boolean;
}

/** Checks that nodes, pods and services have separate networks of the same address families. */
export const subnets: Check = (facts, report) => {
  const { families, draft } = facts;
  if (families.length === 0 || families.includes(undefined) || facts.networks.includes(undefined) || draft.cluster === undefined)
    return;
  const pods = subnetsOf("podSubnets", facts);
  const services = subnetsOf("serviceSubnets", facts);
  if (pods === undefined || services === undefined) return;
  for (const [kind, all] of [
    ["podSubnets", pods],
    ["serviceSubnets", services],
  ] as const)
    ofFamilies(kind, all, facts, report);
  sameFamilies(pods, services, facts, report);
  apart(pods, services, facts, report);
  for (const service of services) if (service.written) serviceSize(service, report);
  for (const pod of pods) if (pod.written) podSize(pod, facts, report);
};

/** The networks of a kind; undefined when one is invalid. */
export function subnetsOf(kind: Kind, { draft, families }: Facts): Subnet[] | undefined {
  const written = draft.cluster?.[kind];
  if (written === undefined)
    return families.flatMap((family) => {
      const network = family && parseNetwork(DEFAULT_SUBNETS[kind][family]);
      return network === undefined ? [] : [{ network, path: ["cluster", kind], written: false }];
    });
  const parsed = written.map((text) => (text === undefined ? undefined : parseNetwork(text)));
  if (parsed.includes(undefined)) return undefined;
  return parsed.flatMap((network, index) =>
    network === undefined ? [] : [{ network, path: ["cluster", kind, index], written: true }],
  );
}

function ofFamilies(kind: Kind, all: readonly Subnet[], facts: Facts, report: Report): void {
  const { families } = facts;
  const [first, second] = all;
  const [family = 4] = families;
  if (first === undefined || !first.written) return;
  if (second !== undefined && first.network.family === second.network.family)
    report.problem(second.path, {
      message: `${pathName(second.path)} is a second IPv${second.network.family} network`,
      hint: "name one network, or one of each family",
    });
  else if (first.network.family !== family)
    report.problem(first.path, {
      message: `${pathName(first.path)} is IPv${first.network.family}, but the nodes' first network is IPv${family}`,
      hint: `write an IPv${family} network first, such as ${DEFAULT_SUBNETS[kind][family]}`,
    });
  else if (second !== undefined && !families.includes(second.network.family))
    report.warn(second.path, {
      message: `${pathName(second.path)} is IPv${second.network.family}, but the nodes have no IPv${second.network.family} address`,
      hint: `${isAtProvider(facts) ? `give the nodes an IPv${second.network.family} address` : `add an IPv${second.network.family} network to network.cidr`}, or remove it`,
    });
}

/** Kubernetes requires the same families in both lists. A list that is not set has the nodes' families. */
function sameFamilies(pods: readonly Subnet[], services: readonly Subnet[], _: Facts, report: Report): void {
  const families = (all: readonly Subnet[]) => all.map(({ network }) => network.family).join();
  const sorted = (all: readonly Subnet[]) => families([...all].sort((a, b) => a.network.family - b.network.family));
  if (sorted(pods) === sorted(services)) return;
  const kind = services[0]?.written ? "serviceSubnets" : "podSubnets";
  const other = kind === "serviceSubnets" ? "podSubnets" : "serviceSubnets";
  report.problem(["cluster", kind], {
    message: `cluster.${kind} and cluster.${other} do not have the same address families`,
    hint: "write a network of each family into both, or of one family into both",
  });
}

/** The nodes' networks, each with its path. */
export function nodeSubnets(facts: Facts): Subnet[] {
  if (!isAtProvider(facts))
    return facts.networks.flatMap((network) => (network ? [{ network, path: ["network", "cidr"], written: true }] : []));
  const all = facts.pools.flatMap((pool) =>
    pool.nodes.flatMap((node) =>
      node.addresses.flatMap((_, index): [string, Subnet][] => {
        const network = networkOf(facts, node, index);
        return network === undefined ? [] : [[network.text, { network, path: pool.origin("ip"), written: true }]];
      }),
    ),
  );
  const between = privateNetwork(facts);
  const path = facts.pools[0]?.origin("nics") ?? [];
  return [...new Map(all.reverse()).values(), ...(between ? [{ network: between, path, written: true }] : [])];
}

/** Checks for overlaps. An overlap with Talos's defaults is only a warning: an existing cluster may have it and cannot change it any more. */
function apart(pods: readonly Subnet[], services: readonly Subnet[], facts: Facts, report: Report): void {
  const nodes = nodeSubnets(facts);
  const inside = [...pods, ...services];
  const pairs = inside.flatMap((one, index) => [...inside.slice(index + 1), ...nodes].map((other) => [one, other] as const));
  for (const [one, other] of pairs) {
    if (!overlap(one.network, other.network)) continue;
    const [at, against] = one.written || !other.written || other.path[0] !== "cluster" ? [one, other] : [other, one];
    const name = against.path[0] === "cluster" ? `cluster.${String(against.path[1])}` : pathName(against.path);
    const remark = `${at.network.text} and ${against.network.text}`;
    if (at.written)
      report.problem(at.path, {
        message: `${pathName(at.path)} overlaps ${name}`,
        hint: "choose networks that do not overlap",
        remark,
      });
    else
      report.warn(against.path, {
        message: `${name} overlaps ${pathName(at.path)}, which is ${at.network.text} by default`,
        hint: `set ${pathName(at.path)} to a network that does not overlap it, unless the cluster exists already`,
        remark,
      });
  }
}

/** The API server accepts at most 20 bits for services; a minimum of addresses is needed, too. */
function serviceSize({ network, path }: Subnet, report: Report): void {
  const [least, most] = network.family === 4 ? [12, 28] : [108, 124];
  if (network.prefix >= least && network.prefix <= most) return;
  report.problem(path, {
    message: `${pathName(path)} is too ${network.prefix < least ? "large" : "small"} for services`,
    hint: `use a prefix length from ${least} to ${most}, such as ${DEFAULT_SUBNETS.serviceSubnets[network.family]}`,
  });
}

/** Kubernetes gives each node a piece: a /24, with IPv6 a /64; a patch can make them smaller. */
function podSize({ network, path }: Subnet, { pools }: Facts, report: Report): void {
  const piece = network.family === 4 ? 24 : 64;
  const nodes = pools.reduce((sum, pool) => sum + pool.nodes.length, 0);
  const room = network.prefix > piece ? 0 : 2 ** (piece - network.prefix);
  if (room >= nodes) return;
  report.warn(path, {
    message: `${pathName(path)} has room for ${room} nodes: each takes a /${piece} of it`,
    hint: `use a shorter prefix length, or give each node less with a patch of the controller manager's node-cidr-mask-size`,
  });
}
