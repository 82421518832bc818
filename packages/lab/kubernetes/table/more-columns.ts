import type { KubeObject, Loose } from "../objects.ts";
import { age, type Column, number, text, wide } from "./column.ts";
import { humanDuration } from "./duration.ts";

const MODES: Record<string, string> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** The class or "<none>", the hosts as a list, and the controller's ports: TLS adds one. */
const ingress: Column[] = [
  text("Class", ({ spec }) => spec?.ingressClassName ?? "<none>"),
  text("Hosts", ({ spec }) => {
    const hosts: string[] = (spec?.rules ?? []).flatMap(({ host }: Loose) => host || []);
    const shown = hosts.slice(0, 3).join(",");
    return hosts.length > 3 ? `${shown} + ${hosts.length - 3} more...` : shown || "*";
  }),
  text("Address", ({ status }) =>
    (status?.loadBalancer?.ingress ?? [])
      .map(({ ip, hostname }: Loose) => ip || hostname)
      .filter(Boolean)
      .join(","),
  ),
  text("Ports", ({ spec }) => ((spec?.tls ?? []).length > 0 ? "80, 443" : "80")),
  age,
];

function autoscalerTargets({ spec, status }: KubeObject): string {
  const current: Loose[] = status?.currentMetrics ?? [];
  const shown = (spec?.metrics ?? []).map((metric: Loose, index: number) => {
    const { name = metric.type, target = {} } = metric[lowerFirst(metric.type)] ?? {};
    const now = current[index]?.[lowerFirst(metric.type)]?.current;
    const of = (value: Loose) =>
      value?.averageUtilization !== undefined
        ? `${value.averageUtilization}%`
        : (value?.averageValue ?? value?.value ?? "<unknown>");
    const resource = metric.type === "Resource" || metric.type === "ContainerResource";
    return `${resource ? `${name}: ` : ""}${of(now)}/${of(target)}`;
  });
  const rest = shown.length > 2 ? ` + ${shown.length - 2} more...` : "";
  return `${shown.slice(0, 2).join(", ")}${rest}` || "<none>";
}

function lowerFirst(word: string): string {
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
}

function requestCondition({ status }: KubeObject): string {
  const types: string[] = (status?.conditions ?? []).map(({ type }: Loose) => type);
  const decided = types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending";
  return `${decided}${types.includes("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

const duration = (seconds: number | undefined) => (seconds === undefined ? "<none>" : humanDuration(seconds * 1000));

const selector = (of: Loose): string => {
  const labels = Object.entries(of?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return labels.join(",") || "<none>";
};

const serviceOf = ({ spec }: KubeObject) => (spec?.service ? `${spec.service.namespace}/${spec.service.name}` : "Local");

/** More of kubectl's columns, by resource: for kinds with few objects in a new cluster. */
export const MORE_COLUMNS: Record<string, readonly Column[]> = {
  "ingresses.networking.k8s.io": ingress,
  "ingressclasses.networking.k8s.io": [
    text("Controller", ({ spec }) => spec?.controller),
    text("Parameters", ({ spec }) => (spec?.parameters ? `${spec.parameters.kind}/${spec.parameters.name}` : "<none>")),
    age,
  ],
  "networkpolicies.networking.k8s.io": [text("Pod-Selector", ({ spec }) => selector(spec?.podSelector)), age],
  "horizontalpodautoscalers.autoscaling": [
    text("Reference", ({ spec }) => `${spec?.scaleTargetRef?.kind}/${spec?.scaleTargetRef?.name}`),
    text("Targets", autoscalerTargets),
    text("MinPods", ({ spec }) => String(spec?.minReplicas ?? "<unset>")),
    number("MaxPods", ({ spec }) => spec?.maxReplicas),
    number("Replicas", ({ status }) => status?.currentReplicas ?? 0),
    age,
  ],
  "poddisruptionbudgets.policy": [
    text("Min Available", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
    text("Max Unavailable", ({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
    number("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed ?? 0),
    age,
  ],
  persistentvolumes: [
    text("Capacity", ({ spec }) => spec?.capacity?.storage ?? ""),
    text("Access Modes", ({ spec }) => (spec?.accessModes ?? []).map((mode: string) => MODES[mode] ?? mode).join(",")),
    text("Reclaim Policy", ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ""),
    text("Status", ({ status, metadata }) => (metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? ""))),
    text("Claim", ({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace}/${spec.claimRef.name}` : "")),
    text("StorageClass", ({ spec }) => spec?.storageClassName ?? ""),
    text("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
    text("Reason", ({ status }) => status?.reason ?? ""),
    age,
    wide(text("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>")),
  ],
  resourcequotas: [
    text("Request", ({ spec, status }) => quota(spec?.hard, status?.used, (name) => !name.startsWith("limits."))),
    text("Limit", ({ spec, status }) => quota(spec?.hard, status?.used, (name) => name.startsWith("limits."))),
    age,
  ],
  limitranges: [text("Created At", ({ metadata }) => metadata.creationTimestamp)],
  "certificatesigningrequests.certificates.k8s.io": [
    age,
    text("SignerName", ({ spec }) => spec?.signerName),
    text("Requestor", ({ spec }) => spec?.username),
    text("RequestedDuration", ({ spec }) => duration(spec?.expirationSeconds)),
    text("Condition", requestCondition),
  ],
  "endpointslices.discovery.k8s.io": [
    text("AddressType", ({ addressType }) => addressType),
    text("Ports", ({ ports }) =>
      limited(
        (ports ?? []).map(({ port }: Loose) => String(port ?? "*")),
        "<unset>",
      ),
    ),
    text("Endpoints", ({ endpoints }) =>
      limited(
        (endpoints ?? []).flatMap(({ addresses }: Loose) => addresses ?? []),
        "<unset>",
      ),
    ),
    age,
  ],
  "csidrivers.storage.k8s.io": [
    text("AttachRequired", ({ spec }) => String(spec?.attachRequired ?? true)),
    text("PodInfoOnMount", ({ spec }) => String(spec?.podInfoOnMount ?? false)),
    text("StorageCapacity", ({ spec }) => String(spec?.storageCapacity ?? false)),
    text("TokenRequests", ({ spec }) =>
      limited(
        (spec?.tokenRequests ?? []).map(({ audience }: Loose) => audience),
        "<unset>",
      ),
    ),
    text("RequiresRepublish", ({ spec }) => String(spec?.requiresRepublish ?? false)),
    text("Modes", ({ spec }) => (spec?.volumeLifecycleModes ?? ["Persistent"]).join(",")),
    age,
  ],
  "csinodes.storage.k8s.io": [number("Drivers", ({ spec }) => (spec?.drivers ?? []).length), age],
  "volumeattachments.storage.k8s.io": [
    text("Attacher", ({ spec }) => spec?.attacher),
    text("PV", ({ spec }) => spec?.source?.persistentVolumeName ?? ""),
    text("Node", ({ spec }) => spec?.nodeName),
    text("Attached", ({ status }) => String(status?.attached ?? false)),
    age,
  ],
  "apiservices.apiregistration.k8s.io": [
    text("Service", serviceOf),
    text("Available", ({ status }) => {
      const available = (status?.conditions ?? []).find(({ type }: Loose) => type === "Available");
      if (!available) return "Unknown";
      return available.status === "True" ? "True" : `${available.status} (${available.reason})`;
    }),
    age,
  ],
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": [number("Webhooks", ({ webhooks = [] }) => webhooks.length), age],
  "validatingwebhookconfigurations.admissionregistration.k8s.io": [
    number("Webhooks", ({ webhooks = [] }) => webhooks.length),
    age,
  ],
  "controllerrevisions.apps": [
    text("Controller", ({ metadata }) => {
      const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller);
      return owner ? `${owner.kind.toLowerCase()}.${owner.apiVersion.split("/")[0]}/${owner.name}` : "<none>";
    }),
    number("Revision", ({ revision }) => revision),
    age,
  ],
};

function quota(
  hard: Record<string, string> | undefined,
  used: Record<string, string> | undefined,
  wanted: (name: string) => boolean,
): string {
  const names = Object.keys(hard ?? {})
    .filter(wanted)
    .sort();
  return names.map((name) => `${name}: ${used?.[name] ?? 0}/${hard?.[name]}`).join(", ");
}

function limited(values: readonly string[], none: string): string {
  if (values.length === 0) return none;
  return values.length > 3 ? `${values.slice(0, 3).join(",")} + ${values.length - 3} more...` : values.join(",");
}
