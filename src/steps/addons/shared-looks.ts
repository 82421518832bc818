import type { Read } from "../../engine/step.ts";
import type { KubernetesClient, ObjectRef } from "../../kubernetes/client/kubernetes-client.ts";
import { codeOf } from "../../kubernetes/client/refusal.ts";
import { type GitOpsRelease, gitOpsReleases } from "../../kubernetes/gitops.ts";
import type { KubernetesObject, Namespace } from "../../kubernetes/objects.ts";

/** Queries that all parts need, made once. */
export function gitOps(kube: KubernetesClient, c: Read): Promise<GitOpsRelease[]> {
  return c.shared("releases of GitOps", () => gitOpsReleases(kube, c.signal));
}

export function namespaces(kube: KubernetesClient, c: Read): Promise<Namespace[]> {
  return c.shared("kubernetes namespaces", () => kube.list<Namespace>({ apiVersion: "v1", kind: "Namespace" }, c.signal));
}

/** Reads an object, or reports an unknown kind. Most kinds are known, so that is checked only after a miss. */
export async function lookUp(kube: KubernetesClient, c: Read, of: ObjectRef): Promise<KubernetesObject | "unknown" | undefined> {
  try {
    return await kube.get(of, c.signal);
  } catch (error) {
    if (codeOf(error) === "KUBERNETES_REFUSED" && !(await kube.knows(of, c.signal))) return "unknown";
    throw error;
  }
}
