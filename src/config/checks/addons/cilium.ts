import { formatIp, type Ip, overlap, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { type AddressRange, addressRange, holds } from "../../address-range.ts";
import type { Report } from "../../report.ts";
import { told } from "../../told-presets.ts";
import { label } from "../addresses.ts";
import { type Check, type Facts, isAtProvider } from "../facts.ts";

const CILIUM = ["addons", "cilium"];

/** Checks that Cilium's options are set only when it is the pod network, and that its addresses are unused. */
export const cilium: Check = (facts, report) => {
  const { draft } = facts;
  const cni = draft.cluster?.cni;
  const options = told(draft, "cilium");
  if (draft.addons?.cilium === false && cni === "cilium")
    report.problem(CILIUM, {
      message: "addons.cilium is false, but cluster.cni is cilium",
      hint: "remove addons.cilium; or set cluster.cni: none to install your own pod network",
      on: "key",
    });
  if (options === undefined) return;
  if (draft.cluster !== undefined && !(report.has(["cluster", "cni"]) && cni === undefined) && cni !== "cilium")
    report.problem(CILIUM, {
      message: `addons.cilium is set, but cluster.cni is ${cni ?? "flannel, the default"}`,
      hint: "set cluster.cni: cilium, or remove addons.cilium",
      on: "key",
    });
  routers(facts, report);
  balancing(facts, report);
};

/** Checks that `bgp` and `announce: bgp` are set together. */
function routers({ draft }: Facts, report: Report): void {
  const { bgp, loadBalancer } = told(draft, "cilium") ?? {};
  const announce = loadBalancer?.announce ?? "l2";
  if (bgp === undefined && announce === "bgp")
    report.problem([...CILIUM, "loadBalancer", "announce"], {
      message: "addons.cilium.loadBalancer.announce is bgp, but there is no addons.cilium.bgp",
      hint: "add under addons.cilium:\nbgp: { asn: 64512, peers: [{ address: 10.10.0.1, asn: 64500 }] }",
    });
  if (bgp !== undefined && announce !== "bgp")
    report.problem([...CILIUM, "bgp"], {
      message:
        loadBalancer === undefined
          ? "addons.cilium.bgp announces nothing: there is no addons.cilium.loadBalancer"
          : `addons.cilium.bgp announces nothing: addons.cilium.loadBalancer.announce is ${announce}`,
      hint:
        loadBalancer === undefined
          ? "add loadBalancer with addresses and announce: bgp, or remove bgp"
          : "set announce: bgp, or remove bgp",
      on: "key",
    });
}

function balancing(facts: Facts, report: Report): void {
  const { loadBalancer } = told(facts.draft, "cilium") ?? {};
  const written = loadBalancer?.addresses ?? [];
  const ranges = written.map((text) => (text === undefined ? undefined : addressRange(text)));
  for (const [index, range] of ranges.entries()) {
    if (range === undefined) continue;
    const path = [...CILIUM, "loadBalancer", "addresses", index];
    const taken = takenIn(range, facts);
    const other = ranges.slice(0, index).findIndex((one) => one !== undefined && meet(one, range));
    if (taken !== undefined)
      report.problem(path, {
        message: `${pathName(path)} contains the address of ${taken.by}`,
        hint: `choose unused addresses: ${formatIp(taken.ip)} is taken`,
        remark: `${formatIp(taken.ip)} is taken by ${taken.by}`,
      });
    else if (other !== -1)
      report.problem(path, {
        message: `${pathName(path)} and ${pathName([...path.slice(0, -1), other])} overlap`,
        hint: "choose ranges that do not overlap: otherwise Cilium assigns addresses from neither",
      });
    else if ((loadBalancer?.announce ?? "l2") === "l2" && isAtProvider(facts))
      report.warn(path, {
        message: `${pathName(path)} is announced in a provider's network, which delivers only the addresses that the provider assigned to each server`,
        hint: "set announce: none and let the provider route the addresses to a server; or use node ports and firewall.open",
      });
    else if ((loadBalancer?.announce ?? "l2") === "l2" && isElsewhere(range, facts))
      report.warn(path, {
        message: `${pathName(path)} is outside the nodes' network, where an l2 announcement has no effect`,
        hint: "choose addresses inside network.cidr, or announce them to routers: announce: bgp",
      });
  }
  for (const [index, range] of ranges.entries()) if (range !== undefined) apart(range, index, facts, report);
}

/** Checks that addresses do not overlap the networks of pods and services. */
function apart(range: AddressRange, index: number, { draft }: Facts, report: Report): void {
  const path = [...CILIUM, "loadBalancer", "addresses", index];
  for (const key of ["podSubnets", "serviceSubnets"] as const)
    for (const text of draft.cluster?.[key] ?? []) {
      const network = text === undefined ? undefined : parseNetwork(text);
      if (network === undefined || !overlap(network, { ...range, prefix: 0, text: "" })) continue;
      report.problem(path, {
        message: `${pathName(path)} overlaps cluster.${key}`,
        hint: "choose addresses outside the networks of pods and services",
        remark: `overlaps ${network.text}`,
      });
    }
}

function takenIn(range: AddressRange, { draft, pools, gateways }: Facts): { ip: Ip; by: string } | undefined {
  const vip = [draft.cluster?.vip, draft.cluster?.endpoint].flatMap((text) => (text === undefined ? [] : (parseIp(text) ?? [])));
  const all = [
    ...gateways.flatMap((ip) => (ip === undefined ? [] : [{ ip, by: "the gateway" }])),
    ...pools.flatMap((pool) =>
      pool.nodes.flatMap((node) => node.addresses.flatMap((ip) => (ip === undefined ? [] : [{ ip, by: label(node, pool) }]))),
    ),
    ...vip.map((ip) => ({ ip, by: "the cluster's endpoint" })),
    ...(draft.network?.nameservers ?? []).flatMap((text) => {
      const ip = text === undefined ? undefined : parseIp(text);
      return ip === undefined ? [] : [{ ip, by: "a nameserver" }];
    }),
  ];
  return all.find(({ ip }) => holds(range, ip));
}

function meet(a: AddressRange, b: AddressRange): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

function isElsewhere(range: AddressRange, { networks }: Facts): boolean {
  const known = networks.filter((network) => network !== undefined);
  return known.length > 0 && known.length === networks.length && !known.some((network) => inside(range, network));
}

function inside(range: AddressRange, network: AddressRange): boolean {
  return range.family === network.family && range.first >= network.first && range.last <= network.last;
}
