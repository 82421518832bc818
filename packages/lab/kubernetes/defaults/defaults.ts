import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { utilization } from "../resources/autoscaler-versions.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { defaultCustom } from "../schema/custom-defaults.ts";
import { defaultPodSpec, qosClass } from "./pod-spec.ts";
import { defaultService } from "./services.ts";
import { WORKLOADS } from "./workloads.ts";

type Default = (object: KubeObject, cluster: SimulatedCluster) => void;

const RBAC = "rbac.authorization.k8s.io";
const USUAL_CPU_PERCENT = 80;

function binding(object: KubeObject): void {
  if (object.roleRef) object.roleRef.apiGroup ??= RBAC;
  for (const subject of object.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ??= RBAC;
  }
}

function secret(object: KubeObject): void {
  object.type ??= "Opaque";
  if (!object.stringData) return;
  const plain = Object.entries(object.stringData as Record<string, string>);
  object.data = {
    ...object.data,
    ...Object.fromEntries(plain.map(([key, text]) => [key, Buffer.from(text).toString("base64")])),
  };
  delete object.stringData;
}

function namespace({ metadata, ...object }: KubeObject, stored: KubeObject): void {
  metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
  stored.spec = object.spec ?? { finalizers: ["kubernetes"] };
  stored.spec.finalizers ??= ["kubernetes"];
}

function definition({ spec }: KubeObject): void {
  spec.names.singular ??= spec.names.kind.toLowerCase();
  spec.names.listKind ??= `${spec.names.kind}List`;
  spec.conversion ??= { strategy: "None" };
}

function webhooks({ webhooks: all = [] }: KubeObject): void {
  for (const webhook of all) {
    webhook.failurePolicy ??= "Fail";
    webhook.matchPolicy ??= "Equivalent";
    webhook.namespaceSelector ??= {};
    webhook.objectSelector ??= {};
    webhook.timeoutSeconds ??= 10;
    for (const rule of webhook.rules ?? []) rule.scope ??= "*";
    if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
  }
}

const DEFAULTS: Record<string, Default> = {
  ...WORKLOADS,
  pods: ({ spec }) => {
    defaultPodSpec(spec);
    spec.enableServiceLinks ??= true;
  },
  services: (service, cluster) => defaultService(cluster, service),
  secrets: secret,
  namespaces: (object) => namespace(object, object),
  "rolebindings.rbac.authorization.k8s.io": binding,
  "clusterrolebindings.rbac.authorization.k8s.io": binding,
  "customresourcedefinitions.apiextensions.k8s.io": definition,
  persistentvolumeclaims: ({ spec }) => {
    spec.volumeMode ??= "Filesystem";
  },
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": (object) => {
    webhooks(object);
    for (const webhook of object.webhooks ?? []) webhook.reinvocationPolicy ??= "Never";
  },
  "horizontalpodautoscalers.autoscaling": ({ spec }) => {
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0) {
      spec.metrics = [{ type: "Resource", resource: { name: "cpu", target: utilization(USUAL_CPU_PERCENT) } }];
    }
  },
  "endpointslices.discovery.k8s.io": ({ ports = [] }) => {
    for (const port of ports) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  "apiservices.apiregistration.k8s.io": ({ spec }) => {
    if (spec?.service) spec.service.port ??= 443;
  },
  "storageclasses.storage.k8s.io": (object) => {
    object.reclaimPolicy ??= "Delete";
    object.volumeBindingMode ??= "Immediate";
  },
};

/** Sets default values; changes the object in place. */
export function setDefaults(cluster: SimulatedCluster, resource: Resource, object: KubeObject): void {
  if (resource.custom) defaultCustom(object, resource.custom.schema);
  else DEFAULTS[resourceKey(resource)]?.(object, cluster);
}

const FIRST_STATUS: Record<string, (object: KubeObject) => Loose> = {
  pods: ({ spec }) => ({ phase: "Pending", qosClass: qosClass(spec) }),
  namespaces: () => ({ phase: "Active" }),
  services: () => ({ loadBalancer: {} }),
  persistentvolumeclaims: () => ({ phase: "Pending" }),
  persistentvolumes: () => ({ phase: "Pending" }),
  "customresourcedefinitions.apiextensions.k8s.io": () => ({
    conditions: [],
    acceptedNames: { plural: "", kind: "" },
    storedVersions: [],
  }),
  "ingresses.networking.k8s.io": () => ({ loadBalancer: {} }),
  "horizontalpodautoscalers.autoscaling": () => ({ desiredReplicas: 0, currentMetrics: null }),
  "poddisruptionbudgets.policy": () => ({ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 }),
  ...Object.fromEntries(Object.keys(WORKLOADS).map((key) => [key, () => ({})])),
};

/** The initial status of an object: a client that creates it cannot set one. */
export function firstStatus(resource: Resource, object: KubeObject): Loose {
  return FIRST_STATUS[resourceKey(resource)]?.(object);
}
