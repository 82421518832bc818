import { compatibilityOf } from "../../../catalog/compatibility.ts";
import type { Report } from "../../report.ts";
import type { MadeAddon } from "../../resolve/addons/make.ts";
import { clusterOf } from "../../resolve/cluster.ts";
import type { Facts } from "../facts.ts";

/** Where the least surprising of the versions stands. */
const PLACES = [
  ["addons", "cilium", "version"],
  ["cluster", "kubernetes"],
  ["cluster", "talos"],
];

/** Whether the network was tested with this Kubernetes. That Talos takes it is checked with the other versions. */
export function tested(facts: Facts, made: readonly MadeAddon[], report: Report): void {
  const parts = made.filter(({ config }) => config.tier === "network").flatMap(({ config }) => config.parts);
  const [cilium] = parts.flatMap((part) => (part.kind === "release" ? part.version : []));
  if (cilium === undefined) return;
  const { talos, kubernetes } = clusterOf(facts);
  const untested = compatibilityOf({ talos, kubernetes, cilium });
  if (untested === undefined) return;
  const { why, nearest } = untested;
  report.warn(PLACES.find((path) => report.has(path)) ?? ["cluster"], {
    message: why,
    hint:
      nearest === undefined
        ? "nothing that was tested goes with this Talos: use another release of it"
        : `the nearest set that was tested is Talos ${nearest.talos} with Kubernetes ${nearest.kubernetes} and Cilium ${nearest.cilium ?? cilium}`,
  });
}
