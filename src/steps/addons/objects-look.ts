import type { Manifest } from "../../catalog/addons/addon.ts";
import { type Field, isLater, NotYet, type Read, type Ref } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { ownerOfObject } from "../../kubernetes/gitops.ts";
import { objectDifferences } from "../../kubernetes/object-differences.ts";
import type { KubernetesObject } from "../../kubernetes/objects.ts";
import { refKey, refName, refOf } from "./inventory.ts";
import { lookUp } from "./shared-looks.ts";

/** The state of one object of a part. */
export interface ObjectSeen {
  manifest: Manifest;
  name: string;
  state: { is: "absent" } | { is: "owned"; by: string } | { is: "present"; fields: readonly Field[] };
}

export function lookAtObjects(
  kube: KubernetesClient,
  c: Read,
  manifests: readonly Manifest[],
  needs: readonly Ref<unknown>[],
): Promise<ObjectSeen[]> {
  const defined = new Set(manifests.flatMap(kindsDefined));
  return Promise.all(
    manifests.map(async (manifest) => {
      const live = await lookUp(kube, c, refOf(manifest));
      if (live === "unknown" && !defined.has(kindKey(manifest))) mayBeDefinedBefore(c, needs);
      const state: ObjectSeen["state"] =
        live === undefined || live === "unknown" ? { is: "absent" } : await stateOf(kube, c, manifest, live);
      return { manifest, name: refName(refOf(manifest)), state };
    }),
  );
}

async function stateOf(
  kube: KubernetesClient,
  c: Read,
  manifest: Manifest,
  live: KubernetesObject,
): Promise<ObjectSeen["state"]> {
  const by = ownerOfObject(live);
  // A manifest may itself contain the labels of a GitOps program.
  if (by !== undefined && ownerOfObject(asObject(manifest)) === undefined) return { is: "owned", by };
  const fields = objectDifferences(live, await kube.tryApply(asObject(manifest), c.signal));
  return { is: "present", fields };
}

/** While planning, an earlier step with changes may install the kind. While running, all earlier steps are done. */
function mayBeDefinedBefore(c: Read, needs: readonly Ref<unknown>[]): void {
  // The nearest earlier step is the most likely one.
  for (const need of [...needs].reverse()) {
    const output = c.get(need);
    if (isLater(output)) throw new NotYet(output);
  }
}

const kindKey = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => `${apiVersion} ${kind}`;

export function isDefinition({ kind }: Manifest): boolean {
  return kind === "CustomResourceDefinition";
}

function kindsDefined(manifest: Manifest): string[] {
  if (!isDefinition(manifest)) return [];
  const { spec = {} } = manifest as { spec?: { group?: string; names?: { kind?: string }; versions?: { name: string }[] } };
  const kind = spec.names?.kind ?? "";
  return (spec.versions ?? []).map(({ name }) => kindKey({ apiVersion: `${spec.group}/${name}`, kind }));
}

/** Converts the type only; the server validates the rest of a manifest. */
export function asObject(manifest: Manifest): KubernetesObject {
  return manifest as unknown as KubernetesObject;
}

export const sameRef = (a: Manifest, b: Manifest) => refKey(refOf(a)) === refKey(refOf(b));
