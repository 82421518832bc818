import { internalError } from "@talosmith/lib/errors.ts";
import type { AddonPart } from "../../catalog/addons/addon.ts";
import { TIERS, type Tier } from "../../config/addons-config.ts";
import { podNetwork } from "../../config/pod-network.ts";
import type { AnyStep, Ref, WorkItem } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { Inventory } from "../../platforms/platform.ts";
import { nodeConfigStep } from "../bootstrap/node-config.ts";
import type { Cluster } from "./cluster.ts";
import { helmRelease, type PartSpec } from "./helm-release.ts";
import type { Sources } from "./left.ts";
import { sourceOf } from "./manifests.ts";
import { networkThere } from "./network-there.ts";
import { nodesReady } from "./nodes-ready.ts";
import { nodesSchedulable } from "./nodes-schedulable.ts";
import { objectsPart } from "./objects-part.ts";
import { partId } from "./part.ts";
import { leftBehind } from "./removal.ts";

/** The steps for all addons, in order. `remove`: addons that are no longer in the config and are removed. `wasRemoved`: whether an interrupted run removed one. */
export function addons(
  env: Environment,
  kube: KubernetesClient,
  found: Inventory,
  remove: readonly string[] = [],
  wasRemoved: (addon: string) => boolean = () => false,
): WorkItem[] {
  const cluster: Cluster = { env, kube, found };
  const sources = sourcesOf(env);
  const left = leftBehind(cluster, sources, remove, wasRemoved);
  // Removals come first, so that a replacement does not conflict with its predecessor.
  const steps: AnyStep[] = remove.length > 0 ? [left] : [];
  const inNeed = env.config.addons.all.filter(({ tier }) => needsPods(tier)).map(({ name }) => name);
  const isLeft = podNetwork(env.config) === "left";
  const gate = isLeft && inNeed.length > 0 ? [networkThere(cluster, inNeed)] : [];
  for (const tier of TIERS) {
    const before = refsOf(steps);
    const network = needsPods(tier) ? gate.map(({ id }) => ({ step: id })) : [];
    for (const { name: addon, tier: its, parts, path } of env.config.addons.all) {
      // On nodes without the required extensions its pods would only fail.
      if (its !== tier || env.upgrade?.withheld.includes(addon)) continue;
      const own: AnyStep[] = [];
      for (const part of parts)
        own.push(
          partStep({ cluster, addon, part, needs: [...before, ...network, ...refsOf(own)], where: env.where(path) }, sources),
        );
      steps.push(...own);
    }
    // Without a CNI from talosmith or Talos, nodes become Ready only after the user installs one.
    if (tier === "network" && env.config.cluster.cni !== "none") steps.push(nodesReady(cluster, refsOf(steps)));
  }
  const schedulable = nodesSchedulable(
    cluster,
    env.config.nodes.map(({ name }) => ({ step: nodeConfigStep(name) })),
  );
  return [...gate, ...steps, schedulable, ...(remove.length > 0 ? [] : [left])];
}

/** Whether a part needs the pod network: the user's own charts and manifests may contain the network itself, presets need one. */
const needsPods = (tier: Tier) => tier === "presets" || tier === "gitops";

/** The step that installs the pod network, unless Talos does. */
export function networkParts(env: Environment): Ref<unknown>[] {
  return env.config.addons.all
    .filter(({ tier }) => tier === "network")
    .flatMap(({ name, parts }) => parts.map((part) => ({ step: partId(name, part) })));
}

const refsOf = (steps: readonly AnyStep[]): Ref<unknown>[] => steps.map(({ out }) => out);

function sourcesOf(env: Environment): Sources {
  return new Map(
    env.config.addons.all.flatMap(({ name: addon, parts }) =>
      parts.flatMap((part) =>
        part.kind === "release" ? [] : [[partId(addon, part), { addon, part: part.name, source: sourceOf(env, part) }] as const],
      ),
    ),
  );
}

function partStep(spec: PartSpec<AddonPart>, sources: Sources): AnyStep {
  const { part, addon } = spec;
  if (part.kind === "release") return helmRelease({ ...spec, part });
  const known = sources.get(partId(addon, part));
  if (!known) throw internalError("GRAPH", { message: `${partId(addon, part)} has no source` });
  return objectsPart({ ...spec, part }, known.source);
}
