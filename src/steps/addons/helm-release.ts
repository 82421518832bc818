import { type Change, type Condition, type Field, type Read, type Ref, type Seen, type Step, step } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { ALL_BINDINGS } from "../../kubernetes/helm/installer.ts";
import { belongingTo } from "../../kubernetes/helm/installer-state.ts";
import type { HelmRelease } from "../../kubernetes/helm/release.ts";
import { releaseDifferences } from "../../kubernetes/helm/release-differences.ts";
import { isBlocking, latestRelease, recordsOf, type StoredRelease } from "../../kubernetes/helm/stored-release.ts";
import type { ClusterRoleBinding, Secret } from "../../kubernetes/objects.ts";
import { CLUSTER_NEEDS, type Cluster, lookInside, mayExist } from "./cluster.ts";
import { install, nobodyAtWork, removeInstallers } from "./helm-install.ts";

export interface HelmReleaseSpec {
  cluster: Cluster;
  release: HelmRelease;
  /** Besides the cluster itself. */
  needs?: readonly Ref<unknown>[];
  settle?: readonly Condition[];
}

/** What there is of a release, while no Job of ours is at work on it. */
export interface Installed {
  stored: StoredRelease;
  /** Names of what earlier Jobs needed and nobody took away. */
  leftovers: readonly string[];
}

const INSTALLER_FIELD = "installer";

/** A chart in the cluster, installed by Helm from within, as the config says. */
export function helmRelease({ cluster, release, needs = [], settle = [] }: HelmReleaseSpec): Step<Installed, StoredRelease> {
  const { kube } = cluster;
  const id = `addon/${release.name}`;
  const subject = release.name;
  return step({
    id,
    stage: "addons",
    title: `${release.name} ${release.version}`,
    needs: [...CLUSTER_NEEDS, ...needs],
    observe: (c) => lookInside(cluster, id, c, () => installed(kube, c, release)),
    plan: (seen) => {
      const change = (verb: Change["verb"], fields: Field[]): Change => ({ id, step: id, verb, subject, fields });
      if ("later" in seen) return [change("create", createFields(release, mayExist(cluster) ? seen : null))];
      if (seen.is !== "present") return [change("create", createFields(release, null))];
      const fields = [...releaseDifferences(seen.actual.stored, release), ...leftoverFields(seen.actual)];
      return fields.length === 0 ? [] : [change("update", fields)];
    },
    notes: (seen) => {
      if (seen.is !== "present" || !isBlocking(seen.actual.stored.status)) return [];
      const { status, since, record } = seen.actual.stored;
      return [
        {
          level: "warn",
          code: "HELM_CUT_OFF",
          message: `Helm was cut off at ${release.name}: it is ${status} since ${since}; secret ${record} will be removed, so that Helm can go on`,
          hint: "if somebody else runs helm on it at this moment, let that end first",
        },
      ];
    },
    apply: async (changes, c) => {
      if (changes.some(isMoreThanTidying)) await install(kube, c, release);
      await removeInstallers(kube, c, release);
    },
    settle,
    output: ({ stored }) => stored,
  });
}

async function installed(kube: KubernetesClient, c: Read, release: HelmRelease): Promise<Seen<Installed>> {
  await nobodyAtWork(kube, c, release);
  const [stored, bindings] = await Promise.all([
    storedRelease(kube, c, release),
    c.shared("helm installer bindings", () => kube.list<ClusterRoleBinding>(ALL_BINDINGS, c.signal)),
  ]);
  if (!stored || stored.status === "uninstalled") return { is: "absent" };
  const leftovers = belongingTo(release, bindings).map(({ metadata }) => metadata.name);
  return { is: "present", actual: { stored, leftovers }, owner: "us" };
}

async function storedRelease(kube: KubernetesClient, c: Read, release: HelmRelease): Promise<StoredRelease | undefined> {
  const current = latestRelease(await kube.list<Secret>(recordsOf(release, "current"), c.signal));
  // Killed at the worst moment, Helm leaves nothing but replaced revisions, and goes on from those.
  return current ?? latestRelease(await kube.list<Secret>(recordsOf(release, "all"), c.signal));
}

function createFields({ version, namespace }: HelmRelease, from: Field["from"]): Field[] {
  return Object.entries({ version, namespace }).map(([path, to]) => ({ path, from, to }));
}

function leftoverFields({ leftovers }: Installed): Field[] {
  return leftovers.length === 0 ? [] : [{ path: INSTALLER_FIELD, from: "left with its rights by an earlier run", to: "removed" }];
}

function isMoreThanTidying({ verb, fields }: Change): boolean {
  return verb === "create" || fields.some(({ path }) => path !== INSTALLER_FIELD);
}
