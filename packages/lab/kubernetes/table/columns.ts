import type { KubeObject, Loose } from "../objects.ts";
import { age, type Column, name, number, text, wide } from "./column.ts";
import { ageOf, humanDuration, type Since } from "./duration.ts";
import { MORE_COLUMNS } from "./more-columns.ts";
import { podSummary } from "./pod-cells.ts";

const labels = (record: Record<string, string> | undefined) =>
  Object.entries(record ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(",") || "<none>";
const containers = ({ spec }: KubeObject): Loose[] => spec.template?.spec?.containers ?? [];
const workload: Column[] = [
  wide(
    text("Containers", (object) =>
      containers(object)
        .map((it) => it.name)
        .join(","),
    ),
  ),
  wide(
    text("Images", (object) =>
      containers(object)
        .map((it) => it.image)
        .join(","),
    ),
  ),
  wide(text("Selector", ({ spec }) => labels(spec.selector?.matchLabels))),
];

function nodeStatus({ spec, status }: KubeObject): string {
  const ready = (status?.conditions ?? []).find((it: Loose) => it.type === "Ready");
  const words = [ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown"];
  if (spec?.unschedulable) words.push("SchedulingDisabled");
  return words.join(",");
}

function nodeRoles({ metadata }: KubeObject): string {
  const roles = Object.keys(metadata.labels ?? {}).flatMap((key) => /^node-role\.kubernetes\.io\/(.+)$/.exec(key)?.[1] ?? []);
  return roles.sort().join(",") || "<none>";
}

const nodeAddress =
  (type: string): Column["cell"] =>
  ({ status }) =>
    (status?.addresses ?? []).find((it: Loose) => it.type === type)?.address ?? "<none>";
const nodeFact =
  (fact: string): Column["cell"] =>
  ({ status }) =>
    status?.nodeInfo?.[fact] ?? "<unknown>";

function jobStatus({ status = {}, spec, metadata }: KubeObject): string {
  const conditions: Loose[] = status.conditions ?? [];
  const is = (type: string) => conditions.some((it) => it.type === type && it.status === "True");
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (metadata.deletionTimestamp) return "Terminating";
  return spec.suspend ? "Suspended" : "Running";
}

function jobDuration({ status = {} }: KubeObject, since: Since): string {
  if (!status.startTime) return "";
  const ended = status.completionTime ? since(Date.parse(status.completionTime)) : 0;
  return humanDuration(since(Date.parse(status.startTime)) - ended);
}

function servicePorts({ spec }: KubeObject): string {
  const ports = (spec.ports ?? []).map((it: Loose) => `${it.port}${it.nodePort ? `:${it.nodePort}` : ""}/${it.protocol}`);
  return ports.join(",") || "<none>";
}

function externalAddress({ spec, status }: KubeObject): string {
  const given = (status?.loadBalancer?.ingress ?? []).map((it: Loose) => it.ip ?? it.hostname);
  if (spec.type === "LoadBalancer") return given.join(",") || "<pending>";
  if (spec.type === "ExternalName") return spec.externalName ?? "";
  return (spec.externalIPs ?? []).join(",") || "<none>";
}

function endpointsOf({ subsets = [] }: KubeObject): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }: Loose) =>
    addresses.flatMap((it: Loose) => ports.map((port: Loose) => `${it.ip}:${port.port}`)),
  );
  return all.length === 0
    ? "<none>"
    : all.length > 3
      ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...`
      : all.join(",");
}

const size = (record: object | undefined) => Object.keys(record ?? {}).length;
const replicas = [
  number("Desired", ({ spec }) => spec.replicas ?? 0),
  number("Current", ({ status }) => status?.replicas ?? 0),
  number("Ready", ({ status }) => status?.readyReplicas ?? 0),
];
const binding = [text("Role", ({ roleRef }) => `${roleRef?.kind}/${roleRef?.name}`), age];

/** kubectl's columns, by resource. Other resources have a name and an age. */
export const COLUMNS: Record<string, readonly Column[]> = {
  ...MORE_COLUMNS,
  pods: [
    text("Ready", (pod, since) => (({ ready, total }) => `${ready}/${total}`)(podSummary(pod, since))),
    text("Status", (pod, since) => podSummary(pod, since).status),
    text("Restarts", (pod, since) => podSummary(pod, since).restarts),
    age,
    wide(text("IP", ({ status }) => status?.podIP ?? "<none>")),
    wide(text("Node", ({ spec }) => spec.nodeName ?? "<none>")),
    wide(text("Nominated Node", ({ status }) => status?.nominatedNodeName ?? "<none>")),
    wide(text("Readiness Gates", () => "<none>")),
  ],
  nodes: [
    text("Status", nodeStatus),
    text("Roles", nodeRoles),
    age,
    text("Version", nodeFact("kubeletVersion")),
    wide(text("Internal-IP", nodeAddress("InternalIP"))),
    wide(text("External-IP", nodeAddress("ExternalIP"))),
    wide(text("OS-Image", nodeFact("osImage"))),
    wide(text("Kernel-Version", nodeFact("kernelVersion"))),
    wide(text("Container-Runtime", nodeFact("containerRuntimeVersion"))),
  ],
  namespaces: [text("Status", ({ status }) => status?.phase), age],
  services: [
    text("Type", ({ spec }) => spec.type),
    text("Cluster-IP", ({ spec }) => spec.clusterIP ?? "<none>"),
    text("External-IP", externalAddress),
    text("Port(s)", servicePorts),
    age,
    wide(text("Selector", ({ spec }) => labels(spec.selector))),
  ],
  endpoints: [text("Endpoints", endpointsOf), age],
  configmaps: [number("Data", ({ data, binaryData }) => size(data) + size(binaryData)), age],
  secrets: [text("Type", ({ type }) => type), number("Data", ({ data }) => size(data)), age],
  serviceaccounts: [number("Secrets", ({ secrets = [] }) => secrets.length), age],
  events: [
    text("Last Seen", ({ lastTimestamp, eventTime, metadata }, since) =>
      ageOf(lastTimestamp ?? eventTime ?? metadata.creationTimestamp, since),
    ),
    text("Type", ({ type }) => type),
    text("Reason", ({ reason }) => reason),
    text("Object", ({ involvedObject: it }) => `${it?.kind?.toLowerCase()}/${it?.name}`),
    wide(text("Subobject", ({ involvedObject: it }) => it?.fieldPath ?? "")),
    wide(text("Source", ({ source: it }) => [it?.component, it?.host].filter(Boolean).join(", "))),
    text("Message", ({ message }) => message),
    wide(number("Count", ({ count }) => count ?? 1)),
    wide(name),
  ],
  persistentvolumeclaims: [
    text("Status", ({ status }) => status?.phase),
    text("Volume", ({ spec }) => spec.volumeName ?? ""),
    text("Capacity", ({ status }) => status?.capacity?.storage ?? ""),
    text("Access Modes", ({ status }) => (status?.accessModes ?? []).join(",")),
    text("StorageClass", ({ spec }) => spec.storageClassName ?? ""),
    age,
  ],
  "deployments.apps": [
    text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`),
    number("Up-to-date", ({ status }) => status?.updatedReplicas ?? 0),
    number("Available", ({ status }) => status?.availableReplicas ?? 0),
    age,
    ...workload,
  ],
  "replicasets.apps": [...replicas, age, ...workload],
  "statefulsets.apps": [
    text("Ready", ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`),
    age,
    ...workload.slice(0, 2),
  ],
  "daemonsets.apps": [
    number("Desired", ({ status }) => status?.desiredNumberScheduled ?? 0),
    number("Current", ({ status }) => status?.currentNumberScheduled ?? 0),
    number("Ready", ({ status }) => status?.numberReady ?? 0),
    number("Up-to-date", ({ status }) => status?.updatedNumberScheduled ?? 0),
    number("Available", ({ status }) => status?.numberAvailable ?? 0),
    text("Node Selector", ({ spec }) => labels(spec.template?.spec?.nodeSelector)),
    age,
    ...workload,
  ],
  "jobs.batch": [
    text("Status", jobStatus),
    text("Completions", ({ spec, status }) => `${status?.succeeded ?? 0}/${spec.completions ?? `1 of ${spec.parallelism}`}`),
    text("Duration", jobDuration),
    age,
    ...workload,
  ],
  "cronjobs.batch": [
    text("Schedule", ({ spec }) => spec.schedule),
    text("Timezone", ({ spec }) => spec.timeZone ?? "<none>"),
    text("Suspend", ({ spec }) => (spec.suspend ? "True" : "False")),
    number("Active", ({ status }) => (status?.active ?? []).length),
    text("Last Schedule", ({ status }, since) => (status?.lastScheduleTime ? ageOf(status.lastScheduleTime, since) : "<none>")),
    age,
  ],
  "clusterroles.rbac.authorization.k8s.io": [text("Created At", ({ metadata }) => metadata.creationTimestamp)],
  "roles.rbac.authorization.k8s.io": [text("Created At", ({ metadata }) => metadata.creationTimestamp)],
  "clusterrolebindings.rbac.authorization.k8s.io": binding,
  "rolebindings.rbac.authorization.k8s.io": binding,
  "customresourcedefinitions.apiextensions.k8s.io": [text("Created At", ({ metadata }) => metadata.creationTimestamp)],
  "storageclasses.storage.k8s.io": [
    text("Provisioner", ({ provisioner }) => provisioner),
    text("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy),
    text("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode),
    text("AllowVolumeExpansion", ({ allowVolumeExpansion }) => String(allowVolumeExpansion ?? false)),
    age,
  ],
  "leases.coordination.k8s.io": [text("Holder", ({ spec }) => spec?.holderIdentity ?? ""), age],
  "priorityclasses.scheduling.k8s.io": [
    number("Value", ({ value }) => value),
    text("Global-Default", ({ globalDefault }) => String(globalDefault ?? false)),
    age,
  ],
  "runtimeclasses.node.k8s.io": [text("Handler", ({ handler }) => handler), age],
};
