import { isDeepStrictEqual } from "node:util";
import type { KubeObject, Loose } from "../objects.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { customProblems } from "../schema/custom-validate.ts";
import { matchesSelector } from "../store/selectors.ts";
import { checkMetadata } from "./check-metadata.ts";
import { checkPod, checkPodSpec } from "./check-pods.ts";
import { type Cause, invalid, invalidValue, required } from "./status.ts";

type ObjectRule = (object: KubeObject, before: KubeObject | undefined) => Cause[];

export function validate(resource: Resource, object: KubeObject, before?: KubeObject): void {
  const causes = [
    ...checkMetadata(resource, object),
    ...(resource.custom
      ? customProblems(object, resource.custom.schema)
      : (CHECKS[resourceKey(resource)]?.(object, before) ?? [])),
  ];
  if (causes.length > 0) throw invalid(resource.group, resource.kind, object.metadata.name, causes);
}

const immutable = (field: string, value: unknown): Cause => invalidValue(field, value, "field is immutable");

function checkSelected({ spec }: KubeObject, before: KubeObject | undefined): Cause[] {
  if (!spec?.selector) return [required("spec.selector")];
  if (before && !isDeepStrictEqual(before.spec.selector, spec.selector)) return [immutable("spec.selector", spec.selector)];
  const labels = spec.template?.metadata?.labels ?? {};
  const stranger = matchesSelector(spec.selector, labels)
    ? []
    : [invalidValue("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
  return [...stranger, ...checkPodSpec(spec.template?.spec, "spec.template.spec")];
}

const CHANGEABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
];
const FIXED = `updates to statefulset spec for fields other than ${CHANGEABLE.map((name) => `'${name}'`).join(", ")} and 'minReadySeconds' are forbidden`;

function checkStatefulSet(object: KubeObject, before: KubeObject | undefined): Cause[] {
  const fixed = ({ spec }: KubeObject) =>
    Object.fromEntries(Object.entries(spec ?? {}).filter(([name]) => ![...CHANGEABLE, "minReadySeconds"].includes(name)));
  if (before && !isDeepStrictEqual(fixed(before), fixed(object))) {
    return [{ reason: "FieldValueForbidden", message: `Forbidden: ${FIXED}`, field: "spec" }];
  }
  return checkSelected(object, before);
}

function checkJob({ spec }: KubeObject, before: KubeObject | undefined): Cause[] {
  const policy = spec?.template?.spec?.restartPolicy;
  const problems = checkPodSpec(spec?.template?.spec, "spec.template.spec");
  if (policy !== "Never" && policy !== "OnFailure") {
    problems.push({
      reason: policy === "Always" ? "FieldValueNotSupported" : "FieldValueRequired",
      message:
        policy === "Always"
          ? 'Unsupported value: "Always": supported values: "OnFailure", "Never"'
          : 'Required value: valid values: "OnFailure", "Never"',
      field: "spec.template.spec.restartPolicy",
    });
  }
  if (before && !isDeepStrictEqual(before.spec.template, spec.template)) {
    problems.push(immutable("spec.template", spec.template));
  }
  return problems;
}

function checkFixed(object: KubeObject, before: KubeObject | undefined): Cause[] {
  if (!before?.immutable) return [];
  const same = isDeepStrictEqual([before.data, before.binaryData], [object.data, object.binaryData]) && object.immutable;
  return same
    ? []
    : [{ reason: "FieldValueForbidden", message: "Forbidden: field is immutable when `immutable` is set", field: "data" }];
}

/** The server prints its internal struct, whose field names are capitalized. */
function asGo({ apiGroup, kind, name }: Loose): Loose {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

const checkBinding: ObjectRule = (object, before) => [
  ...(object.roleRef?.name ? [] : [required("roleRef.name")]),
  ...(before && !isDeepStrictEqual(before.roleRef, object.roleRef)
    ? [invalidValue("roleRef", asGo(object.roleRef), "cannot change roleRef")]
    : []),
];

const CHECKS: Record<string, ObjectRule> = {
  pods: checkPod,
  "deployments.apps": checkSelected,
  "daemonsets.apps": checkSelected,
  "statefulsets.apps": checkStatefulSet,
  "replicasets.apps": checkSelected,
  "jobs.batch": checkJob,
  configmaps: checkFixed,
  secrets: (object, before) => [
    ...checkFixed(object, before),
    ...(before && before.type !== object.type ? [immutable("type", object.type)] : []),
  ],
  services: ({ spec }, before) => [
    ...(spec.clusterIP !== "None" && spec.type !== "ExternalName" && (spec.ports ?? []).length === 0
      ? [required("spec.ports")]
      : []),
    ...(before?.spec.clusterIP && before.spec.clusterIP !== spec.clusterIP
      ? [immutable("spec.clusterIPs[0]", spec.clusterIP)]
      : []),
  ],
  "rolebindings.rbac.authorization.k8s.io": checkBinding,
  "clusterrolebindings.rbac.authorization.k8s.io": checkBinding,
  "customresourcedefinitions.apiextensions.k8s.io": checkDefinition,
};

function checkDefinition({ metadata, spec }: KubeObject, before: KubeObject | undefined): Cause[] {
  const versions: Loose[] = spec?.versions ?? [];
  const fixed = (["group", "scope"] as const).filter((name) => before && before.spec?.[name] !== spec?.[name]);
  return [
    ...(metadata.name === `${spec?.names?.plural}.${spec?.group}`
      ? []
      : [invalidValue("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...(versions.filter(({ storage }) => storage).length === 1
      ? []
      : [invalidValue("spec.versions", versions, "must have exactly one version marked as storage version")]),
    ...versions.flatMap(({ schema }, index): Cause[] => {
      const at = `spec.versions[${index}].schema.openAPIV3Schema`;
      if (!schema?.openAPIV3Schema) return [required(at, "schemas are required")];
      return schema.openAPIV3Schema.type ? [] : [required(`${at}.type`, "must not be empty at the root")];
    }),
    ...fixed.map((name) => immutable(`spec.${name}`, spec?.[name])),
  ];
}
