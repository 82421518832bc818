import { hasCode, remoteError } from "@talosmith/lib/errors.ts";
import type { Manifest } from "../../catalog/addons/addon.ts";
import type { Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../../kubernetes/conditions.ts";
import { objectsUp } from "../../kubernetes/helm/release-up.ts";
import type { Namespace } from "../../kubernetes/objects.ts";
import { IMAGE_GRACE_MS } from "./helm-job.ts";
import { refName, refOf } from "./inventory.ts";
import { createNamespace } from "./namespace.ts";
import { asObject, isDefinition } from "./objects-look.ts";

const MINUTE = 60_000;

/** Applies namespaces, then CRDs, then other objects. `all`: all objects of the part, also unchanged ones. */
export async function applyObjects(
  kube: KubernetesClient,
  c: Write,
  name: string,
  manifests: readonly Manifest[],
  all: readonly Manifest[],
): Promise<void> {
  const spaces = manifests.filter(({ kind }) => kind === "Namespace");
  const definitions = manifests.filter(isDefinition);
  const rest = manifests.filter((one) => one.kind !== "Namespace" && !isDefinition(one));
  for (const one of spaces) await applyOne(kube, c, one);
  await missingNamespaces(kube, c, rest);
  for (const one of definitions) await applyOne(kube, c, one);
  // An earlier run may have been interrupted right after it applied them.
  await c.until(up(kube, `${name}'s definitions`, all.filter(isDefinition)));
  for (const one of rest) {
    await kindKnown(kube, c, one);
    await applyOne(kube, c, one);
  }
  await c.until(up(kube, name, rest));
}

function up(kube: KubernetesClient, name: string, manifests: readonly Manifest[]) {
  const objects = manifests.map((one) => {
    const { metadata, ...rest } = asObject(one);
    return { ...rest, metadata: { namespace: "default", ...metadata } };
  });
  return objectsUp(kube, { name, namespace: "default", objects }, 15 * MINUTE, IMAGE_GRACE_MS);
}

/** Creates missing namespaces: Secrets are applied before the chart that uses them. */
async function missingNamespaces(kube: KubernetesClient, c: Write, manifests: readonly Manifest[]): Promise<void> {
  const wanted = new Set(manifests.flatMap(({ metadata }) => metadata.namespace ?? []));
  if (wanted.size === 0) return;
  const there = await kube.list<Namespace>({ apiVersion: "v1", kind: "Namespace" }, c.signal);
  for (const { metadata } of there) wanted.delete(metadata.name);
  for (const name of wanted) await createNamespace(kube, c, name);
}

/** Waits for the kind: operators install their CRDs a while after they start. */
async function kindKnown(kube: KubernetesClient, c: Write, manifest: Manifest): Promise<void> {
  const { apiVersion, kind } = manifest;
  try {
    await c.until(
      kubernetesCondition(`this cluster knows ${kind}`, 5 * MINUTE, async ({ signal }) =>
        (await kube.knows(manifest, signal)) ? true : { reason: `there is no ${kind} in ${apiVersion}` },
      ),
    );
  } catch (error) {
    if (!hasCode(error, "TIMEOUT")) throw error;
    throw remoteError("KIND_UNKNOWN", {
      message: `Unable to apply ${refName(refOf(manifest))}: this cluster knows no ${kind} in ${apiVersion}`,
      hint: `install the CRD that defines it first, as an addon or earlier in manifests; or correct its apiVersion (kubectl api-resources lists the known kinds)`,
      cause: error,
    });
  }
}

/** Retries while a webhook does not respond, which may have started a moment ago. */
async function applyOne(kube: KubernetesClient, c: Write, manifest: Manifest): Promise<void> {
  const name = refName(refOf(manifest));
  await c.until(
    kubernetesCondition(`${name} is applied`, 5 * MINUTE, async ({ signal }) => {
      await c.mutate({ key: name, what: `apply ${name}` }, async () => {
        await kube.apply(asObject(manifest), signal);
        return undefined;
      });
      return true;
    }),
  );
}
