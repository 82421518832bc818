import { compareVersions, minorOf, parseVersion } from "../catalog/version.ts";
import type { ClusterConfig, Config, NodeConfig } from "../config/config.ts";
import type { OtherImage, OtherRelease, PendingUpgrade } from "../engine/result.ts";
import type { Read } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { Inventory } from "../platforms/platform.ts";
import type { Configs } from "../steps/generate/wanted-configs.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { type KeptVersion, keepVersions, releaseIn } from "../talos/config/kept-versions.ts";
import { isSplit, SPLIT_KIND } from "../talos/config/node/node-input.ts";
import { hasExtension, type RunningNode, runningOn, runsInstaller } from "../talos/health/running-node.ts";
import { installerOf } from "../talos/image/installer.ts";

/**
 * Returns the environment with the releases that its nodes run in place of those the config names, and the pending upgrade. Everything made
 * from it fits the existing cluster: a new node gets the Talos, the Kubernetes and the config format of the others.
 */
export async function atRunningVersions(
  env: Environment,
  talos: TalosNodes,
  found: Inventory,
  /** Machine configs for the releases that the config names. */
  configs: () => Configs,
  c: Read,
): Promise<Environment> {
  const { config } = env;
  if (found.environment === undefined) return env;
  const answers = await Promise.all(
    config.nodes
      .filter(({ name }) => found.there.has(name))
      .map(async (node) => ({ node, ...(await runningOn(c, talos, config, node)) })),
  );
  const running = answers.flatMap((one) => (one.is === "ours" ? [{ node: one.node, runs: one.answer }] : []));
  if (running.every((one) => isAsConfigured(config, one))) return env;
  const wanted = configs();
  const seen = running.map(
    ({ node, runs }): SeenNode => ({
      node,
      runs,
      kept: keepVersions(wanted.of(node), runs.running, (installer) => runsInstaller(runs, node, installer)).kept,
    }),
  );
  const upgrade = pendingUpgrade(config, seen);
  return upgrade === undefined ? env : { ...env, config: { ...config, cluster: runningCluster(config.cluster, seen) }, upgrade };
}

interface SeenNode {
  node: NodeConfig;
  runs: RunningNode;
  /** Images in its config whose release differs from the expected one. */
  kept: readonly KeptVersion[];
}

/** Whether nothing differs: a quick answer for the usual case. */
function isAsConfigured(config: Config, { node, runs }: Pick<SeenNode, "node" | "runs">): boolean {
  const { talos, kubernetes } = config.cluster;
  const images = [...runs.running.text.matchAll(/\/(?:kubelet|kube-[a-z-]+):(\S+)$/gm)];
  return (
    runs.version === talos &&
    runs.running.text.includes(installerOf(config, node)) &&
    images.every(([, release]) => release === kubernetes) &&
    lacking(config, node, runs).length === 0
  );
}

/** Undefined when the nodes run what the config says. */
function pendingUpgrade(config: Config, seen: readonly SeenNode[]): PendingUpgrade | undefined {
  const { talos } = config.cluster;
  const images = seen.flatMap((one): OtherImage[] => {
    const lacks = lacking(config, one.node, one.runs);
    // With another Talos the installer's name differs anyway.
    const isOther = one.runs.version === talos && one.kept.some(({ of }) => of === "talos");
    if (lacks.length === 0 && !isOther) return [];
    const { name, ip } = one.node;
    return [{ node: name, lacks, upgrade: `talosctl upgrade -n ${ip} --image ${installerOf(config, one.node)}` }];
  });
  const missing = new Set(images.flatMap(({ lacks }) => lacks));
  const others = {
    talos: otherRelease(
      talos,
      seen.map(({ node, runs }) => ({ node, version: runs.version })),
      seen.length,
    ),
    kubernetes: otherRelease(config.cluster.kubernetes, seen.flatMap(otherKubernetes), seen.length),
  };
  if (images.length === 0 && others.talos === undefined && others.kubernetes === undefined) return undefined;
  return {
    ...(others.talos && { talos: others.talos }),
    ...(others.kubernetes && { kubernetes: others.kubernetes }),
    images,
    withheld: config.addons.all
      .filter(({ extensions = [] }) => extensions.some((one) => missing.has(one)))
      .map(({ name }) => name),
  };
}

/** Compares images and not versions: an image tag that a patch sets in both configs is not a difference. */
function otherKubernetes({ node, kept }: SeenNode): { node: NodeConfig; version: string }[] {
  return kept.flatMap(({ of, runs, wanted }) => {
    const [version, config] = [releaseIn(runs), releaseIn(wanted)];
    return of === "talos" || version === undefined || version === config ? [] : [{ node, version }];
  });
}

function otherRelease(
  config: string,
  seen: readonly { node: NodeConfig; version: string }[],
  nodes: number,
): OtherRelease | undefined {
  const others = seen.filter(({ version }) => version !== config);
  const versions = [...new Set(others.map(({ version }) => version))].sort(byAge);
  if (versions.length === 0) return undefined;
  const on = (version: string) => [...new Set(others.filter((one) => one.version === version).map(({ node }) => node.name))];
  const isPartly = new Set(others.map(({ node }) => node.name)).size < nodes;
  return { config, runs: versions.map((version) => ({ version, nodes: on(version) })), ...(isPartly && { partly: true }) };
}

/** Extensions that the config or an addon needs on a node and its image does not have. */
function lacking(config: Config, node: NodeConfig, { image }: RunningNode): string[] {
  if (image === undefined) return [];
  const takesPods = node.role === "worker" || config.cluster.scheduleOnControlPlanes;
  const forAddons = takesPods ? config.addons.all.flatMap(({ extensions = [] }) => extensions) : [];
  return [...new Set([...node.image.extensions, ...forAddons])].filter((one) => !hasExtension(image, one)).sort();
}

/** The oldest running releases: a kubelet must not be newer than the API servers, and every node must be able to read the config format. */
function runningCluster(cluster: ClusterConfig, seen: readonly SeenNode[]): ClusterConfig {
  const oldest = (versions: readonly (string | undefined)[], otherwise: string) =>
    versions.flatMap((one) => (one !== undefined && parseVersion(one) ? [one] : [])).sort(byAge)[0] ?? otherwise;
  const talos = oldest(
    seen.map(({ runs }) => runs.version),
    cluster.talos,
  );
  const apiServers = seen.flatMap(({ kept }) => kept.filter(({ path }) => /apiserver/i.test(path)));
  return {
    ...cluster,
    talos,
    kubernetes: oldest(
      apiServers.map(({ runs }) => releaseIn(runs)),
      cluster.kubernetes,
    ),
    contract: contractFor(cluster, talos, seen),
  };
}

/** A config format that the oldest Talos can read and that the nodes already have. */
function contractFor({ contract }: ClusterConfig, talos: string, seen: readonly SeenNode[]): string {
  const version = parseVersion(talos);
  const newest = version && minorOf(version);
  if (newest === undefined) return contract;
  if (byAge(`${newest}.0`, `${contract}.0`) < 0) return newest;
  const isInDocuments = seen.some(({ runs }) => runs.running.text.includes(`\nkind: ${SPLIT_KIND}\n`));
  return isInDocuments && !isSplit(contract) && isSplit(newest) ? newest : contract;
}

function byAge(a: string, b: string): number {
  const [one, other] = [parseVersion(a), parseVersion(b)];
  if (one && other) return compareVersions(one, other);
  return a < b ? -1 : 1;
}
