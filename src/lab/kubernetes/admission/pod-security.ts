import type { Cluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { read } from "../store/store.ts";
import { problemsOf } from "./pod-standards.ts";

type Level = "privileged" | "baseline" | "restricted";

/** What a pod breaks of the level its namespace enforces: `violates PodSecurity "baseline:latest": …`. */
export function podSecurityProblem(cluster: Cluster, namespace: string, metadata: Loose, spec: Loose): string | undefined {
  return violation(cluster, namespace, metadata, spec, "enforce", cluster.settings.podSecurity.enforce);
}

/** The same as a warning, which Talos sets up with the restricted level. */
export function podSecurityWarning(cluster: Cluster, namespace: string, metadata: Loose, spec: Loose): string | undefined {
  const found = violation(cluster, namespace, metadata, spec, "warn", "restricted");
  return found?.replace(/^violates/, "would violate");
}

function violation(
  cluster: Cluster,
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

function labelsOf(namespace: KubeObject | undefined): Record<string, string> {
  return namespace?.metadata.labels ?? {};
}
