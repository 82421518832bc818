import { invalid, invalidValue } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import type { Resource } from "../resources/resource.ts";
import { all, read } from "../store/store.ts";
import { problemsOf } from "./pod-standards.ts";

type Level = "privileged" | "baseline" | "restricted";

/** The violation of the level that a pod's namespace enforces: `violates PodSecurity "baseline:latest": …`. */
export function podSecurityProblem(
  cluster: SimulatedCluster,
  namespace: string,
  metadata: Loose,
  spec: Loose,
): string | undefined {
  return violation(cluster, namespace, metadata, spec, "enforce", cluster.settings.podSecurity.enforce);
}

/** The violation as a warning, for which Talos configures the restricted level. */
export function podSecurityWarning(
  cluster: SimulatedCluster,
  namespace: string,
  metadata: Loose,
  spec: Loose,
): string | undefined {
  const found = violation(cluster, namespace, metadata, spec, "warn", "restricted");
  return found?.replace(/^violates/, "would violate");
}

function violation(
  cluster: SimulatedCluster,
  namespace: string,
  metadata: Loose,
  spec: Loose,
  mode: "enforce" | "warn",
  fallback: Level,
): string | undefined {
  if (cluster.settings.podSecurity.exemptNamespaces.includes(namespace)) return undefined;
  const labels = labelsOf(read(cluster, builtin("namespaces"), undefined, namespace));
  const level = (labels[`pod-security.kubernetes.io/${mode}`] ?? fallback) as Level;
  const version = labels[`pod-security.kubernetes.io/${mode}-version`] ?? "latest";
  const problems = problemsOf(level, metadata, spec);
  return problems.length === 0
    ? undefined
    : `violates PodSecurity ${JSON.stringify(`${level}:${version}`)}: ${problems.join(", ")}`;
}

const LEVELS = ["privileged", "baseline", "restricted"];

/** Refuses a namespace with an unknown level. */
export function checkLevels(resource: Resource, { metadata }: KubeObject): void {
  const causes = (["enforce", "audit", "warn"] as const).flatMap((mode) => {
    const key = `pod-security.kubernetes.io/${mode}`;
    const level = metadata.labels?.[key];
    if (level === undefined || LEVELS.includes(level)) return [];
    return [invalidValue(`metadata.labels[${key}]`, level, `must be one of ${LEVELS.join(", ")}`)];
  });
  if (causes.length > 0) throw invalid(resource.group, resource.kind, metadata.name, causes);
}

/** Warns of existing pods that violate a new level; they are kept. */
export function newLevelWarnings(cluster: SimulatedCluster, namespace: KubeObject, before: KubeObject): string[] {
  const { name } = namespace.metadata;
  const level = labelsOf(namespace)["pod-security.kubernetes.io/enforce"];
  if (level === undefined || level === labelsOf(before)["pod-security.kubernetes.io/enforce"]) return [];
  if (cluster.settings.podSecurity.exemptNamespaces.includes(name)) return [];
  const version = labelsOf(namespace)["pod-security.kubernetes.io/enforce-version"] ?? "latest";
  const byProblem = new Map<string, string[]>();
  for (const pod of all(cluster, builtin("pods"), name)) {
    const problems = problemsOf(level as Level, pod.metadata, pod.spec)
      .map((problem) => problem.replace(/ \(.*$/, ""))
      .join(", ");
    if (problems !== "") byProblem.set(problems, [...(byProblem.get(problems) ?? []), pod.metadata.name]);
  }
  if (byProblem.size === 0) return [];
  const which = JSON.stringify(`${level}:${version}`);
  return [
    `existing pods in namespace ${JSON.stringify(name)} violate the new PodSecurity enforce level ${which}`,
    ...[...byProblem].map(([problems, [first, ...others]]) => {
      const more = others.length === 0 ? "" : ` (and ${others.length} other pod${others.length > 1 ? "s" : ""})`;
      return `${first}${more}: ${problems}`;
    }),
  ];
}

function labelsOf(namespace: KubeObject | undefined): Record<string, string> {
  return namespace?.metadata.labels ?? {};
}
