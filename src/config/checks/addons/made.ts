import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { ReleasePart } from "../../../catalog/addons/addon.ts";
import { compatibilityOf } from "../../../catalog/compatibility.ts";
import { IN_A_VOLUME } from "../../kubelet-folders.ts";
import type { Report } from "../../report.ts";
import type { MadeAddon } from "../../resolve/addons/make.ts";
import { isOfGpu } from "../../resolve/addons/wishes.ts";
import { clusterOf } from "../../resolve/cluster.ts";
import type { Facts } from "../facts.ts";

/** Checks the finished addons of a file without problems so far. */
export function checkMade(facts: Facts, made: readonly MadeAddon[], report: Report): void {
  names(made, report);
  releases(made, report);
  for (const addon of made) wishes(addon, facts, report);
  tested(facts, made, report);
}

function names(made: readonly MadeAddon[], report: Report): void {
  for (const [index, { config }] of made.entries()) {
    const first = made.slice(0, index).find((other) => other.config.name === config.name);
    if (first === undefined) continue;
    const [later, before] = inOrder(config.path, first.config.path, report);
    report.problem(later, {
      message: `${pathName(later)} and ${pathName(before)} (${report.line(before)}) are both called ${config.name}`,
      hint: "give one of the two another name: plans and --remove-addon use it",
      remark: "used twice",
    });
  }
}

function releases(made: readonly MadeAddon[], report: Report): void {
  const seen = new Map<string, { path: Path; name: string }>();
  for (const { config } of made)
    for (const part of config.parts.filter((one): one is ReleasePart => one.kind === "release")) {
      const release = `${part.namespace}/${part.name}`;
      const first = seen.get(release);
      if (first === undefined) seen.set(release, config);
      // Two of one name are told already.
      if (first === undefined || first.name === config.name) continue;
      const [later, before] = inOrder(config.path, first.path, report);
      report.problem(later, {
        message: `${pathName(later)} and ${pathName(before)} (${report.line(before)}) are both release ${part.name} in namespace ${part.namespace}`,
        hint: "remove one of the two, or give it another name or namespace",
        remark: "used twice",
      });
    }
}

/** The later of two paths in the file first: the problem is reported there. */
function inOrder(a: Path, b: Path, report: Report): [Path, Path] {
  return report.isBefore(a, b) ? [b, a] : [a, b];
}

/** Checks an addon's requirements on machines against the file. */
function wishes({ config, machines }: MadeAddon, facts: Facts, report: Report): void {
  const name = pathName(config.path);
  for (const key of ["kubeletCertificates", "externalCloudProvider"] as const)
    if (machines[key] === true && facts.draft.cluster?.[key] === false)
      report.problem(["cluster", key], {
        message: `cluster.${key} is false, but ${name} (${report.line(config.path)}) needs it`,
        hint: `remove cluster.${key}: it is set automatically when needed; or remove ${name}`,
      });
  const extensions = (machines.extensions ?? []).filter((one) => !isOfGpu(one.replace(/^.*\//, "")));
  if (extensions.length > 0 && facts.draft.image?.schematic !== undefined)
    report.warn(["image", "schematic"], {
      message: `image.schematic must contain ${extensions.join(" and ")}, which ${name} needs`,
      hint: "make sure that it does, or remove image.schematic: then the extensions are added automatically",
    });
  const { contract } = clusterOf(facts);
  const folders = (machines.kubeletMounts ?? []).filter((folder) => !IN_A_VOLUME.test(folder));
  if (folders.length > 0 && contract !== "v1.12" && contract !== "v1.13")
    report.problem(config.path, {
      message: `${name} needs kubelets to mount ${folders.join(" and ")}, which Talos's config format ${contract} does not support`,
      hint: "use a folder directly below /var/mnt instead",
      on: "key",
    });
}

/** Where the least surprising of the versions stands. */
const PLACES = [
  ["addons", "cilium", "version"],
  ["cluster", "kubernetes"],
  ["cluster", "talos"],
];

/** Whether the network was tested with this Kubernetes. That Talos takes it is checked with the other versions. */
function tested(facts: Facts, made: readonly MadeAddon[], report: Report): void {
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
