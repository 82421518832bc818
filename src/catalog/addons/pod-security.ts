import type { Manifest } from "./addon.ts";

/** Talos enforces `baseline` and warns below `restricted`, in every namespace but this one (docs/facts/kubernetes.md#pod-security). */
const EXEMPT = "kube-system";

const ALWAYS_THERE = [EXEMPT, "default", "kube-public", "kube-node-lease"];

const LEVELS = ["enforce", "audit", "warn"] as const;

export function namespaceLabels(namespace: string, privileged: boolean): Readonly<Record<string, string>> {
  if (!privileged || namespace === EXEMPT) return {};
  return Object.fromEntries(LEVELS.map((level) => [`pod-security.kubernetes.io/${level}`, "privileged"]));
}

/** The Namespace object for objects that precede a chart. None for namespaces of every cluster, which an addon must not create or remove. */
export function namespaceObjects(name: string, privileged: boolean): Manifest[] {
  if (ALWAYS_THERE.includes(name)) return [];
  const labels = namespaceLabels(name, privileged);
  return [{ apiVersion: "v1", kind: "Namespace", metadata: { name, ...(Object.keys(labels).length > 0 && { labels }) } }];
}
