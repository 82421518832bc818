import { known, type Read } from "../../engine/step.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import type { KubernetesClient, ListRef, ObjectRef } from "../../kubernetes/client/kubernetes-client.ts";
import { ownerOfObject, ownerOfRelease } from "../../kubernetes/gitops.ts";
import { ALL_BINDINGS, OF_NAMESPACE, OF_RELEASE } from "../../kubernetes/helm/installer.ts";
import { environmentLabel, OF_ADDON, OF_ENVIRONMENT } from "../../kubernetes/helm/release.ts";
import { decodeRelease, latestRecord } from "../../kubernetes/helm/stored-release.ts";
import type { ClusterRoleBinding, Secret } from "../../kubernetes/objects.ts";
import type { Cluster } from "./cluster.ts";
import { inventories, type PartInventory, refKey, refOf } from "./inventory.ts";
import type { Source } from "./manifests.ts";
import { gitOps, lookUp } from "./shared-looks.ts";

/** The source of each part's objects, by the part's step. */
export type Sources = ReadonlyMap<string, { addon: string; part: string; source: Source }>;

/** An addon that talosmith installed and that is no longer in the config. */
export interface Left {
  addon: string;
  releases: readonly { name: string; namespace: string }[];
  objects: readonly ObjectRef[];
  /** Its namespaces and CRDs, which are kept: their deletion would also delete other objects in them. */
  holders: readonly ObjectRef[];
  /** Its inventories, and the entries that are kept. */
  inventories: readonly { of: PartInventory; stays: readonly ObjectRef[] }[];
}

export interface Behind {
  left: Left[];
  /** Inventories of parts that are no longer in the config or in the cluster. */
  stale: PartInventory[];
  /** The names of all addons that talosmith has installed, of those too that another program manages now. */
  installed: ReadonlySet<string>;
}

export async function leftAddons(cluster: Cluster, sources: Sources, c: Read): Promise<Behind> {
  const { kube } = cluster;
  const environment = known(c, environmentId);
  const [releases, noted] = await Promise.all([
    leftReleases(cluster, c, environment),
    leftObjects(kube, sources, c, environment),
  ]);
  const some = noted.filter(({ objects }) => objects.length > 0);
  const names = [...new Set([...releases, ...some].map(({ addon }) => addon))].sort();
  const left = names.map((addon) => {
    const its = some.filter((one) => one.addon === addon);
    return {
      addon,
      releases: releases.filter((one) => one.addon === addon),
      objects: its.flatMap(({ objects }) => objects),
      holders: noted.filter((one) => one.addon === addon).flatMap(({ holders }) => holders),
      inventories: its.map(({ of, stays }) => ({ of, stays })),
    };
  });
  const inConfig = new Set([...sources.values()].map(({ addon, part }) => `${addon}/${part}`));
  const stale = noted.filter(({ of, objects }) => objects.length === 0 && !inConfig.has(`${of.addon}/${of.part}`));
  const records = await helmRecords(kube, c, environment);
  const installed = new Set([...noted.map(({ addon }) => addon), ...records.map(addonOf)]);
  return { left, stale: stale.map(({ of }) => of), installed };
}

function wantedReleases({ config }: Environment): ReadonlySet<string> {
  const parts = config.addons.all.flatMap((addon) => addon.parts);
  return new Set(parts.flatMap((part) => (part.kind === "release" ? [`${part.namespace}/${part.name}`] : [])));
}

/** Releases outside the config with leftover installer permissions, from a removal that was interrupted. */
export async function strayRights({ env, kube }: Cluster, c: Read): Promise<{ name: string; namespace: string }[]> {
  const bindings = await c.shared("helm installer bindings", () => kube.list<ClusterRoleBinding>(ALL_BINDINGS, c.signal));
  const wanted = wantedReleases(env);
  const releases = bindings.map(({ metadata: { labels = {} } }) => ({
    name: labels[OF_RELEASE] ?? "",
    namespace: labels[OF_NAMESPACE] ?? "",
  }));
  const byKey = new Map(releases.map((one) => [`${one.namespace}/${one.name}`, one]));
  return [...byKey].flatMap(([key, one]) => (wanted.has(key) ? [] : [one]));
}

function helmRecords(kube: KubernetesClient, c: Read, environment: string): Promise<Secret[]> {
  const of: ListRef = {
    apiVersion: "v1",
    kind: "Secret",
    labelSelector: `owner=helm,${OF_ENVIRONMENT}=${environmentLabel(environment)},status!=superseded`,
  };
  return c.shared("helm releases of talosmith", () => kube.list<Secret>(of, c.signal));
}

const addonOf = ({ metadata: { labels = {} } }: Secret) => labels[OF_ADDON] ?? labels.name ?? "";

async function leftReleases({ env, kube }: Cluster, c: Read, environment: string) {
  const [records, owners] = await Promise.all([helmRecords(kube, c, environment), gitOps(kube, c)]);
  const wanted = wantedReleases(env);
  const keyOf = ({ metadata }: Secret) => `${metadata.namespace}/${metadata.labels?.name}`;
  const keys = [...new Set(records.map(keyOf))].filter((key) => !wanted.has(key));
  return keys.flatMap((key) => {
    const record = latestRecord(records.filter((one) => keyOf(one) === key));
    if (!record) return [];
    const { chart, status } = decodeRelease(record);
    const { namespace = "", labels } = record.metadata;
    const name = labels?.name ?? "";
    if (status === "uninstalled" || ownerOfRelease(owners, { name, namespace, chart }) !== undefined) return [];
    return [{ addon: addonOf(record), name, namespace }];
  });
}

async function leftObjects(kube: KubernetesClient, sources: Sources, c: Read, environment: string) {
  const all = await inventories(kube, c, environment);
  if (all.length === 0) return [];
  const wanted = new Set<string>();
  const unknown = new Set<string>();
  for (const { addon, part, source } of sources.values()) {
    // A failed download is reported by its own step; here no object of it counts as left over.
    const manifests = await source(c).catch(() => undefined);
    if (!manifests) unknown.add(`${addon}/${part}`);
    for (const manifest of manifests ?? []) wanted.add(refKey(refOf(manifest)));
  }
  return Promise.all(
    all
      .filter(({ addon, part }) => !unknown.has(`${addon}/${part}`))
      .map(async (of) => {
        const dropped = of.objects.filter((ref) => !wanted.has(refKey(ref)));
        const there = (await Promise.all(dropped.map(async (ref) => ((await isThere(kube, c, ref)) ? [ref] : [])))).flat();
        const stays = of.objects.filter((ref) => wanted.has(refKey(ref)));
        const objects = there.filter((ref) => !isHolder(ref));
        return { addon: of.addon, of, objects, holders: there.filter(isHolder), stays };
      }),
  );
}

function isHolder({ kind }: ObjectRef): boolean {
  return kind === "Namespace" || kind === "CustomResourceDefinition";
}

/** Whether it exists, is not being deleted, and is not managed by another program now. */
async function isThere(kube: KubernetesClient, c: Read, ref: ObjectRef): Promise<boolean> {
  const live = await lookUp(kube, c, ref);
  return (
    live !== undefined && live !== "unknown" && live.metadata.deletionTimestamp === undefined && ownerOfObject(live) === undefined
  );
}
