import type { Read } from "../../engine/step.ts";
import type { KubernetesClient, ObjectRef } from "../../kubernetes/client/kubernetes-client.ts";
import { codeOf } from "../../kubernetes/client/refusal.ts";
import { type GitOpsRelease, gitOpsReleases } from "../../kubernetes/gitops.ts";
import type { KubernetesObject, Namespace } from "../../kubernetes/objects.ts";

/** What every part asks about, asked once for all of them. */
export function gitOps(kube: KubernetesClient, c: Read): Promise<GitOpsRelease[]> {
  return c.shared("releases of GitOps", () => gitOpsReleases(kube, c.signal));
}

export function namespaces(kube: KubernetesClient, c: Read): Promise<Namespace[]> {
  return c.shared("kubernetes namespaces", () => kube.list<Namespace>({ apiVersion: "v1", kind: "Namespace" }, c.signal));
}

/** An object, or that this cluster does not know such objects. Most kinds are known, so that is asked only when it was in vain. */
export async function lookUp(kube: KubernetesClient, c: Read, of: ObjectRef): Promise<KubernetesObject | "unknown" | undefined> {
  try {
    return await kube.get(of, c.signal);
  } catch (error) {
    if (codeOf(error) === "KUBERNETES_REFUSED" && !(await kube.knows(of, c.signal))) return "unknown";
    throw error;
  }
}
