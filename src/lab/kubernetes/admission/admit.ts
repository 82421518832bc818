import { forbidden, notFound } from "../api/status.ts";
import type { Cluster } from "../cluster.ts";
import { nameSuffix } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { read } from "../store/store.ts";
import { podSecurityProblem, podSecurityWarning } from "./pod-security.ts";

/** The plugins between a request and the store; changes the object in place, may refuse it, may warn. */
export function admitCreate(cluster: Cluster, resource: Resource, object: KubeObject, warnings: string[]): void {
  if (resource.namespaced) needNamespace(cluster, resource, object);
  if (resourceKey(resource) === "pods") admitPod(cluster, resource, object, warnings);
  else warnOfTemplate(cluster, object, warnings);
}

export function admitUpdate(
  cluster: Cluster,
  resource: Resource,
  object: KubeObject,
  before: KubeObject,
  warnings: string[],
): void {
  const changed = JSON.stringify(object.spec?.template) !== JSON.stringify(before.spec?.template);
  if (resource.namespaced && changed) warnOfTemplate(cluster, object, warnings);
}

function needNamespace(cluster: Cluster, resource: Resource, { metadata }: KubeObject): void {
  const namespace = read(cluster, builtin("namespaces"), undefined, metadata.namespace ?? "");
  if (!namespace) throw notFound(builtin("namespaces"), metadata.namespace ?? "");
  if (namespace.status?.phase !== "Terminating") return;
  const why = `unable to create new content in namespace ${metadata.namespace} because it is being terminated`;
  throw forbidden(resource, metadata.name, why);
}

function admitPod(cluster: Cluster, resource: Resource, pod: KubeObject, warnings: string[]): void {
  const namespace = pod.metadata.namespace ?? "";
  serviceAccount(cluster, resource, pod);
  defaultTolerations(pod.spec);
  const problem = podSecurityProblem(cluster, namespace, pod.metadata, pod.spec);
  if (problem) throw forbidden(resource, pod.metadata.name, problem);
  const warning = podSecurityWarning(cluster, namespace, pod.metadata, pod.spec);
  if (warning) warnings.push(warning);
}

function warnOfTemplate(cluster: Cluster, { metadata, spec, kind }: KubeObject, warnings: string[]): void {
  const template = kind === "CronJob" ? spec?.jobTemplate?.spec?.template : spec?.template;
  if (!template?.spec?.containers || metadata.namespace === undefined) return;
  const warning = podSecurityWarning(cluster, metadata.namespace, template.metadata, template.spec);
  if (warning) warnings.push(warning);
}

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Every pod runs as somebody, and finds that somebody's token among its files. */
function serviceAccount(cluster: Cluster, resource: Resource, { metadata, spec }: KubeObject): void {
  if (metadata.annotations?.["kubernetes.io/config.mirror"]) return;
  spec.serviceAccountName ||= "default";
  spec.serviceAccount = spec.serviceAccountName;
  const account = read(cluster, builtin("serviceaccounts"), metadata.namespace, spec.serviceAccountName);
  if (!account) {
    const name = `${metadata.namespace}/${spec.serviceAccountName}`;
    const why = `error looking up service account ${name}: serviceaccount ${JSON.stringify(spec.serviceAccountName)} not found`;
    throw forbidden(resource, metadata.name, why);
  }
  const mount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (!mount) return;
  const containers: Loose[] = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const without = containers.filter((it) => !(it.volumeMounts ?? []).some((volume: Loose) => volume.mountPath === TOKEN_PATH));
  if (without.length === 0) return;
  const name = `kube-api-access-${nameSuffix(cluster.lab)}`;
  for (const container of without) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: TOKEN_PATH }];
  }
  spec.volumes = [...(spec.volumes ?? []), { name, projected: tokenVolume() }];
}

function tokenVolume(): Loose {
  const namespace = { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } };
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      { downwardAPI: { items: [namespace] } },
    ],
    defaultMode: 420,
  };
}

/** A pod stays five minutes on a node that is gone, unless it says otherwise. */
function defaultTolerations(spec: Loose): void {
  const tolerations: Loose[] = spec.tolerations ?? [];
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    const covered = tolerations.some((it) => (it.key ?? key) === key && (it.effect ?? "NoExecute") === "NoExecute");
    if (!covered) tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
  spec.tolerations = tolerations;
}
