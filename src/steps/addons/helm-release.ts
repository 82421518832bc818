import type { Where } from "@talosmith/lib/errors.ts";
import type { ReleasePart } from "../../catalog/addons/addon.ts";
import { type Change, type Field, known, type Read, type Ref, type Seen, type Step, step } from "../../engine/step.ts";
import { environmentId } from "../../environment/environment.ts";
import { ownerOfRelease } from "../../kubernetes/gitops.ts";
import { ALL_BINDINGS } from "../../kubernetes/helm/installer.ts";
import { belongingTo } from "../../kubernetes/helm/installer-state.ts";
import { environmentLabel, type HelmRelease, OF_ADDON, OF_ENVIRONMENT } from "../../kubernetes/helm/release.ts";
import { releaseDifferences } from "../../kubernetes/helm/release-differences.ts";
import { releaseUp } from "../../kubernetes/helm/release-up.ts";
import { decodeRelease, isBlocking, latestRecord, recordsOf, type StoredRelease } from "../../kubernetes/helm/stored-release.ts";
import type { ClusterRoleBinding, Secret } from "../../kubernetes/objects.ts";
import { CLUSTER_NEEDS, type Cluster, lookInside, mayExist } from "./cluster.ts";
import { install, nobodyAtWork, removeInstallers } from "./helm-install.ts";
import { IMAGE_GRACE_MS } from "./helm-job.ts";
import { labelDifferences, labelNamespace } from "./namespace.ts";
import { blameOn, partId, partName } from "./part.ts";
import { gitOps } from "./shared-looks.ts";

export interface PartSpec<Part> {
  cluster: Cluster;
  addon: string;
  part: Part;
  /** Further dependencies. */
  needs: readonly Ref<unknown>[];
  where?: Where | undefined;
}

/** The state of a release while no Job of talosmith works on it. */
export interface Installed {
  /** The GitOps program that manages it; then nothing else is read. */
  ownedBy?: string;
  stored?: StoredRelease;
  /** The owner in Helm's record. */
  mark?: string;
  /** The labels that its namespace lacks. */
  labels: readonly Field[];
  /** Names of leftover installer objects of earlier Jobs. */
  leftovers: readonly string[];
}

const INSTALLER_FIELD = "installer";
const LIMIT_MS = 15 * 60_000;

/** A chart that Helm installs from inside the cluster. */
export function helmRelease({ cluster, addon, part, needs, where }: PartSpec<ReleasePart>): Step<Installed, void> {
  const { kube } = cluster;
  const id = partId(addon, part);
  const subject = partName(addon, part);
  return step({
    id,
    stage: "addons",
    title: `${subject} ${part.version}`,
    needs: [...CLUSTER_NEEDS, ...needs],
    observe: (c) => lookInside(cluster, id, c, () => installed(cluster, c, part)),
    plan: (seen, c) => {
      const change = (verb: Change["verb"], fields: Field[]): Change => ({ id, step: id, verb, subject, fields });
      if ("later" in seen) return [change("create", createFields(part, mayExist(cluster) ? seen : null))];
      if (seen.is !== "present") return [change("create", createFields(part, null))];
      const { actual } = seen;
      if (actual.ownedBy !== undefined || !actual.stored) return [];
      const release = releaseOf(cluster, addon, part, known(c, environmentId));
      const fields = [
        ...releaseDifferences(actual.stored, release),
        ...markField(actual, release),
        ...actual.labels,
        ...leftoverFields(actual),
      ];
      return fields.length === 0 ? [] : [change("update", fields)];
    },
    notes: (seen) => (seen.is === "present" ? [...ownerNotes(subject, seen.actual), ...cutOffNotes(subject, seen.actual)] : []),
    apply: async (changes, c) => {
      const release = releaseOf(cluster, addon, part, known(c, environmentId));
      await blameOn(where, async () => {
        await labelNamespace(kube, c, part.namespace, part.namespaceLabels);
        if (changes.some(needsHelm)) await install(kube, c, release, subject);
        await removeInstallers(kube, c, release);
        if (changes.some(needsHelm)) await c.until(releaseUp(kube, part, LIMIT_MS, IMAGE_GRACE_MS));
      });
    },
    output: () => undefined,
  });
}

function releaseOf(cluster: Cluster, addon: string, part: ReleasePart, environment: string): HelmRelease {
  const { helmImage } = cluster.env.config.addons;
  return { ...part, helmImage, labels: { [OF_ENVIRONMENT]: environmentLabel(environment), [OF_ADDON]: addon } };
}

async function installed(cluster: Cluster, c: Read, part: ReleasePart): Promise<Seen<Installed>> {
  const { kube } = cluster;
  const ownedBy = ownerOfRelease(await gitOps(kube, c), part);
  if (ownedBy !== undefined) return { is: "present", actual: { ownedBy, labels: [], leftovers: [] }, owner: "foreign" };
  await nobodyAtWork(kube, c, part);
  const [record, bindings, labels] = await Promise.all([
    currentRecord(cluster, c, part),
    c.shared("helm installer bindings", () => kube.list<ClusterRoleBinding>(ALL_BINDINGS, c.signal)),
    labelDifferences(kube, c, part.namespace, part.namespaceLabels),
  ]);
  const stored = record && decodeRelease(record);
  if (!stored || stored.status === "uninstalled") return { is: "absent" };
  const leftovers = belongingTo(part, bindings).map(({ metadata }) => metadata.name);
  const mark = record.metadata.labels?.[OF_ENVIRONMENT];
  return { is: "present", actual: { stored, labels, leftovers, ...(mark !== undefined && { mark }) }, owner: "us" };
}

async function currentRecord({ kube }: Cluster, c: Read, part: ReleasePart): Promise<Secret | undefined> {
  const current = latestRecord(await kube.list<Secret>(recordsOf(part, "current"), c.signal));
  // When Helm is killed at an unlucky moment, only replaced revisions are left, from which it continues.
  return current ?? latestRecord(await kube.list<Secret>(recordsOf(part, "all"), c.signal));
}

function createFields({ version, namespace }: ReleasePart, from: Field["from"]): Field[] {
  return Object.entries({ version, namespace }).map(([path, to]) => ({ path, from, to }));
}

/** The field for missing owner labels, which identify the release after its removal from the config. */
function markField({ mark }: Installed, { labels }: HelmRelease): Field[] {
  const to = labels[OF_ENVIRONMENT] ?? "";
  return mark === to ? [] : [{ path: "mark", from: mark ?? null, to }];
}

function leftoverFields({ leftovers }: Installed): Field[] {
  return leftovers.length === 0
    ? []
    : [{ path: INSTALLER_FIELD, from: "left over from an earlier run, with its permissions", to: "removed" }];
}

function needsHelm({ verb, fields }: Change): boolean {
  return verb === "create" || fields.some(({ path }) => path !== INSTALLER_FIELD && !path.startsWith("namespace "));
}

function ownerNotes(subject: string, { ownedBy }: Installed) {
  if (ownedBy === undefined) return [];
  const message = `${subject} is managed by ${ownedBy}: left unchanged`;
  const hint = "if this is intended, remove it from the config; change it in the Git repository";
  return [{ level: "warn" as const, code: "ADDON_OWNED", message, hint }];
}

function cutOffNotes(subject: string, { stored }: Installed) {
  if (!stored || !isBlocking(stored.status)) return [];
  const { status, since, record } = stored;
  return [
    {
      level: "warn" as const,
      code: "HELM_CUT_OFF",
      message: `Helm was interrupted at ${subject}: it has been ${status} since ${since}; secret ${record} will be removed so that Helm can continue`,
      hint: "if another helm command is running on it now, let it finish first",
    },
  ];
}
