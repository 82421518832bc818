import type { KubernetesClient, ListRef } from "./client/kubernetes-client.ts";
import type { KubernetesObject } from "./objects.ts";

/** A release that Flux or Argo CD manages. */
export interface GitOpsRelease {
  /** "Flux (HelmRelease flux-system/cilium)" */
  by: string;
  name: string;
  namespace: string;
  /** Set when the release is identified by its chart too. */
  chart?: string;
}

interface HelmRelease extends KubernetesObject {
  spec?: { releaseName?: string; targetNamespace?: string };
}

interface ApplicationSource {
  chart?: string;
  helm?: { releaseName?: string };
}

interface Application extends KubernetesObject {
  spec?: { destination?: { namespace?: string }; source?: ApplicationSource; sources?: ApplicationSource[] };
}

const HELM_RELEASES: ListRef = { apiVersion: "helm.toolkit.fluxcd.io/v2", kind: "HelmRelease" };
const APPLICATIONS: ListRef = { apiVersion: "argoproj.io/v1alpha1", kind: "Application" };

/** The releases that Flux and Argo CD manage, where they are installed. */
export async function gitOpsReleases(kube: KubernetesClient, signal: AbortSignal): Promise<GitOpsRelease[]> {
  const [flux, argo] = await Promise.all([
    listIfKnown<HelmRelease>(kube, HELM_RELEASES, signal),
    listIfKnown<Application>(kube, APPLICATIONS, signal),
  ]);
  return [...flux.map(byFlux), ...argo.flatMap(byArgo)];
}

async function listIfKnown<T extends KubernetesObject>(kube: KubernetesClient, of: ListRef, signal: AbortSignal): Promise<T[]> {
  return (await kube.knows(of, signal)) ? kube.list<T>(of, signal) : [];
}

/** Flux's name of a release: the configured one, or the object's, with a different target namespace as a prefix. */
function byFlux({ metadata: { name, namespace = "" }, spec = {} }: HelmRelease): GitOpsRelease {
  const { targetNamespace, releaseName = targetNamespace === undefined ? name : `${targetNamespace}-${name}` } = spec;
  return { by: `Flux (HelmRelease ${namespace}/${name})`, name: releaseName, namespace: targetNamespace ?? namespace };
}

function byArgo({ metadata: { name, namespace = "" }, spec = {} }: Application): GitOpsRelease[] {
  const to = spec.destination?.namespace;
  if (to === undefined) return [];
  const sources = [...(spec.source ? [spec.source] : []), ...(spec.sources ?? [])];
  return sources
    .filter(({ chart, helm }) => chart !== undefined || helm !== undefined)
    .map(({ chart, helm }) => ({
      by: `Argo CD (Application ${namespace}/${name})`,
      name: helm?.releaseName ?? name,
      namespace: to,
      ...(chart !== undefined && { chart }),
    }));
}

export function ownerOfRelease(
  owners: readonly GitOpsRelease[],
  release: { name: string; namespace: string; chart?: string },
): string | undefined {
  return owners.find(
    ({ name, namespace, chart }) =>
      namespace === release.namespace && (name === release.name || (chart !== undefined && chart === release.chart)),
  )?.by;
}

const MANAGERS: Readonly<Record<string, string>> = {
  "kustomize-controller": "Flux",
  "helm-controller": "Flux",
  "argocd-controller": "Argo CD",
  "argocd-application-controller": "Argo CD",
};

/** The GitOps program that manages an object, by labels and annotations that only these programs set. */
export function ownerOfObject({ metadata }: KubernetesObject): string | undefined {
  const { labels = {}, annotations = {}, managedFields = [] } = metadata;
  for (const [kind, prefix] of [
    ["Kustomization", "kustomize.toolkit.fluxcd.io"],
    ["HelmRelease", "helm.toolkit.fluxcd.io"],
  ]) {
    const name = labels[`${prefix}/name`];
    if (name !== undefined) return `Flux (${kind} ${labels[`${prefix}/namespace`] ?? ""}/${name})`;
  }
  const application = annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0] ?? labels["argocd.argoproj.io/instance"];
  if (application !== undefined) return `Argo CD (Application ${application})`;
  return managedFields.map(({ manager = "" }) => MANAGERS[manager]).find((owner) => owner !== undefined);
}
