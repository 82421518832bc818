import { ApiError, forbidden, notFound } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { nameSuffix } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { all, read } from "../store/store.ts";
import { checkLevels, newLevelWarnings, podSecurityProblem, podSecurityWarning } from "./pod-security.ts";
import { askWebhooks } from "./webhooks.ts";

/** How a write is admitted. */
export interface Admitting {
  warnings: string[];
  dryRun?: boolean;
  subresource?: string;
  /** Set for writers outside the lab: the lab's own controllers cannot be refused, except for the pods they create. */
  manager?: string;
}

/** Runs the admission plugins between a request and the store; they change the object in place, refuse it, or warn. */
export function admitCreate(cluster: SimulatedCluster, resource: Resource, object: KubeObject, how: Admitting): void {
  if (resource.namespaced) needNamespace(cluster, resource, object);
  const pod = resourceKey(resource) === "pods";
  if (pod) preparePod(cluster, resource, object);
  if (resourceKey(resource) === "persistentvolumeclaims") defaultClass(cluster, object);
  if (how.manager !== undefined || pod) askWebhooks(cluster, { operation: "CREATE", resource, object, ...dryRunOf(how) });
  if (pod) checkPod(cluster, resource, object, how.warnings);
  else warnOfTemplate(cluster, object, how.warnings);
  if (resourceKey(resource) === "namespaces") checkLevels(resource, object);
}

export function admitUpdate(
  cluster: SimulatedCluster,
  resource: Resource,
  object: KubeObject,
  before: KubeObject,
  how: Admitting,
): void {
  const { subresource, manager, warnings } = how;
  if (manager !== undefined) {
    const part = subresource === undefined ? {} : { subresource };
    askWebhooks(cluster, { operation: "UPDATE", resource, object, ...part, ...dryRunOf(how) });
  }
  const changed = JSON.stringify(object.spec?.template) !== JSON.stringify(before.spec?.template);
  if (resource.namespaced && changed) warnOfTemplate(cluster, object, warnings);
  if (resourceKey(resource) === "namespaces") {
    checkLevels(resource, object);
    warnings.push(...newLevelWarnings(cluster, object, before));
  }
}

function dryRunOf({ dryRun }: Admitting): { dryRun?: boolean } {
  return dryRun === undefined ? {} : { dryRun };
}

function needNamespace(cluster: SimulatedCluster, resource: Resource, { metadata }: KubeObject): void {
  const namespace = read(cluster, builtin("namespaces"), undefined, metadata.namespace ?? "");
  if (!namespace) throw notFound(builtin("namespaces"), metadata.namespace ?? "");
  if (namespace.status?.phase !== "Terminating") return;
  const why = `unable to create new content in namespace ${metadata.namespace} because it is being terminated`;
  const refusal = forbidden(resource, metadata.name, why);
  const message = `namespace ${metadata.namespace} is being terminated`;
  const causes = [{ reason: "NamespaceTerminating", message, field: "metadata.namespace" }];
  throw new ApiError(refusal.code, refusal.reason, refusal.message, { ...refusal.details, causes });
}

function preparePod(cluster: SimulatedCluster, resource: Resource, pod: KubeObject): void {
  serviceAccount(cluster, resource, pod);
  defaultTolerations(pod.spec);
  giveClasses(cluster, resource, pod);
}

function checkPod(cluster: SimulatedCluster, resource: Resource, pod: KubeObject, warnings: string[]): void {
  const namespace = pod.metadata.namespace ?? "";
  const problem = podSecurityProblem(cluster, namespace, pod.metadata, pod.spec);
  if (problem) throw forbidden(resource, pod.metadata.name, problem);
  const warning = podSecurityWarning(cluster, namespace, pod.metadata, pod.spec);
  if (warning) warnings.push(warning);
}

/** Looks up a pod's priority class and runtime class; an unknown class is refused. */
function giveClasses(cluster: SimulatedCluster, resource: Resource, { metadata, spec }: KubeObject): void {
  const { priorityClassName: priority, runtimeClassName: runtime } = spec;
  const classes = builtin("priorityclasses.scheduling.k8s.io");
  const byDefault = all(cluster, classes).find(({ globalDefault }) => globalDefault === true);
  const chosen = priority ? read(cluster, classes, undefined, priority) : byDefault;
  if (priority && !chosen) throw forbidden(resource, metadata.name, `no PriorityClass with name ${priority} was found`);
  if (chosen) spec.priorityClassName = chosen.metadata.name;
  spec.priority = chosen?.value ?? 0;
  spec.preemptionPolicy = chosen?.preemptionPolicy ?? "PreemptLowerPriority";
  if (!runtime || read(cluster, builtin("runtimeclasses.node.k8s.io"), undefined, runtime)) return;
  throw forbidden(resource, metadata.name, `pod rejected: RuntimeClass ${JSON.stringify(runtime)} not found`);
}

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

function defaultClass(cluster: SimulatedCluster, { spec }: KubeObject): void {
  if (spec.storageClassName !== undefined) return;
  const classes = all(cluster, builtin("storageclasses.storage.k8s.io"));
  const newest = classes
    .filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true")
    .sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))[0];
  if (newest) spec.storageClassName = newest.metadata.name;
}

function warnOfTemplate(cluster: SimulatedCluster, { metadata, spec, kind }: KubeObject, warnings: string[]): void {
  const template = kind === "CronJob" ? spec?.jobTemplate?.spec?.template : spec?.template;
  if (!template?.spec?.containers || metadata.namespace === undefined) return;
  const warning = podSecurityWarning(cluster, metadata.namespace, template.metadata, template.spec);
  if (warning) warnings.push(warning);
}

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Gives every pod a service account, and mounts its token. */
function serviceAccount(cluster: SimulatedCluster, resource: Resource, { metadata, spec }: KubeObject): void {
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

/** A pod stays five minutes on an unreachable node, unless its tolerations say otherwise. */
function defaultTolerations(spec: Loose): void {
  const tolerations: Loose[] = spec.tolerations ?? [];
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    const covered = tolerations.some((it) => (it.key ?? key) === key && (it.effect ?? "NoExecute") === "NoExecute");
    if (!covered) tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
  spec.tolerations = tolerations;
}
