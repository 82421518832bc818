import type { KubeObject, Loose } from "../objects.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { matchesSelector } from "../store/selectors.ts";
import { type Cause, invalid, invalidValue, required } from "./status.ts";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
/** Names of these may hold colons and the like. */
const FREE_NAMES = /^(cluster)?role(binding)?s\.rbac/;

type Check = (object: KubeObject, before: KubeObject | undefined) => Cause[];

export function validate(resource: Resource, object: KubeObject, before?: KubeObject): void {
  const causes = [...checkName(resource, object), ...(CHECKS[resourceKey(resource)]?.(object, before) ?? [])];
  if (causes.length > 0) throw invalid(resource.group, resource.kind, object.metadata.name, causes);
}

function checkName(resource: Resource, { metadata: { name } }: KubeObject): Cause[] {
  if (name === "") return [required("metadata.name", "name or generateName is required")];
  const key = resourceKey(resource);
  if (FREE_NAMES.test(key)) return /[/%]/.test(name) ? [invalidValue("metadata.name", name, "may not contain '/'")] : [];
  if (key === "namespaces" || key === "services") {
    return name.length <= 63 && LABEL.test(name) ? [] : [invalidValue("metadata.name", name, LABEL_RULE)];
  }
  if (name.length > 253) return [invalidValue("metadata.name", name, "must be no more than 253 characters")];
  return SUBDOMAIN.test(name) ? [] : [invalidValue("metadata.name", name, SUBDOMAIN_RULE)];
}

function checkPodSpec(spec: Loose, at: string): Cause[] {
  const containers: Loose[] = spec?.containers ?? [];
  if (containers.length === 0) return [required(`${at}.containers`)];
  const problems = containers.flatMap(({ name, image }, index): Cause[] => [
    ...(name ? [] : [required(`${at}.containers[${index}].name`)]),
    ...(image ? [] : [required(`${at}.containers[${index}].image`)]),
  ]);
  const volumes = new Set((spec.volumes ?? []).map(({ name }: Loose) => name));
  for (const [list, at2] of [
    [spec.initContainers ?? [], `${at}.initContainers`],
    [containers, `${at}.containers`],
  ] as const) {
    for (const [index, container] of (list as Loose[]).entries()) {
      for (const [place, { name }] of (container.volumeMounts ?? []).entries()) {
        if (volumes.has(name)) continue;
        problems.push({
          reason: "FieldValueNotFound",
          message: `Not found: ${JSON.stringify(name)}`,
          field: `${at2}[${index}].volumeMounts[${place}].name`,
        });
      }
    }
  }
  return problems;
}

const immutable = (field: string, value: unknown): Cause => invalidValue(field, value, "field is immutable");

function checkSelected({ spec }: KubeObject, before: KubeObject | undefined): Cause[] {
  if (!spec?.selector) return [required("spec.selector")];
  if (before && JSON.stringify(before.spec.selector) !== JSON.stringify(spec.selector))
    return [immutable("spec.selector", spec.selector)];
  const labels = spec.template?.metadata?.labels ?? {};
  const stranger = matchesSelector(spec.selector, labels)
    ? []
    : [invalidValue("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
  return [...stranger, ...checkPodSpec(spec.template?.spec, "spec.template.spec")];
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
  if (before && JSON.stringify(before.spec.template) !== JSON.stringify(spec.template)) {
    problems.push(immutable("spec.template", spec.template));
  }
  return problems;
}

function checkFixed(object: KubeObject, before: KubeObject | undefined): Cause[] {
  if (!before?.immutable) return [];
  const same =
    JSON.stringify([before.data, before.binaryData]) === JSON.stringify([object.data, object.binaryData]) && object.immutable;
  return same
    ? []
    : [{ reason: "FieldValueForbidden", message: "Forbidden: field is immutable when `immutable` is set", field: "data" }];
}

const checkBinding: Check = (object, before) => [
  ...(object.roleRef?.name ? [] : [required("roleRef.name")]),
  ...(before && JSON.stringify(before.roleRef) !== JSON.stringify(object.roleRef)
    ? [invalidValue("roleRef", object.roleRef, "cannot change roleRef")]
    : []),
];

const CHECKS: Record<string, Check> = {
  pods: ({ spec }) => checkPodSpec(spec, "spec"),
  "deployments.apps": checkSelected,
  "daemonsets.apps": checkSelected,
  "statefulsets.apps": checkSelected,
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
  "customresourcedefinitions.apiextensions.k8s.io": ({ metadata, spec }) =>
    metadata.name === `${spec?.names?.plural}.${spec?.group}`
      ? []
      : [invalidValue("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group')],
};
