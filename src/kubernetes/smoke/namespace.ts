import { userError } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import type { KubernetesClient } from "../client/kubernetes-client.ts";
import { kubernetesCondition } from "../conditions.ts";
import type { KubernetesObject, ServiceAccount } from "../objects.ts";
import { patiently } from "./patiently.ts";

export const NAMESPACE = "talosmith-smoke";
/** A separate service account: the namespace's default one is created a moment later, and earlier pods are refused. */
export const ACCOUNT = "smoke";
const OWNER = "app.kubernetes.io/managed-by";
export const OURS = { [OWNER]: "talosmith" };

const GONE_MS = 5 * 60_000;

const SELF = { apiVersion: "v1", kind: "Namespace", name: NAMESPACE } as const;

/** Removes the namespace of a killed run; one that talosmith did not create is kept. */
export async function clearNamespace(kube: KubernetesClient, c: Read): Promise<void> {
  const left = await patiently(c, `namespace ${NAMESPACE} can be read`, (signal) => kube.get(SELF, signal));
  if (left && left.metadata.labels?.[OWNER] !== OURS[OWNER]) throw notOurs();
  if (left) await removeNamespace(kube, c);
}

export async function makeNamespace(kube: KubernetesClient, c: Read): Promise<void> {
  const { name, ...kind } = SELF;
  const labels = { ...OURS, "pod-security.kubernetes.io/enforce": "restricted" };
  await make(kube, { ...kind, metadata: { name, labels } }, c);
  const account: ServiceAccount = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: ACCOUNT, namespace: NAMESPACE, labels: OURS },
    automountServiceAccountToken: false,
  };
  await make(kube, account, c);
}

/** Resolves when it is gone, with everything in it. */
export async function removeNamespace(kube: KubernetesClient, c: Read): Promise<void> {
  const isGone = async ({ signal }: Read) => {
    const there = await kube.get(SELF, signal);
    if (!there) return true;
    if (there.metadata.deletionTimestamp === undefined) await kube.delete(SELF, {}, signal);
    return { reason: "its pods are terminating" };
  };
  await c.until(kubernetesCondition(`namespace ${NAMESPACE} is gone`, GONE_MS, isGone));
}

/** The user interrupted the run: the namespace is deleted without waiting. */
export async function abandonNamespace(kube: KubernetesClient): Promise<void> {
  await kube.delete(SELF, {}, new AbortController().signal);
}

export async function make(kube: KubernetesClient, object: KubernetesObject, c: Read): Promise<void> {
  await patiently(c, `${object.kind} ${object.metadata.name} is created`, (signal) => kube.apply(object, signal));
}

function notOurs() {
  return userError("SMOKE_NAMESPACE", {
    message: `Unable to run test pods: the namespace ${NAMESPACE} exists, and talosmith did not create it`,
    detail: `it has no label ${OWNER}=${OURS[OWNER]}`,
    hint: `if it is not needed:  kubectl delete namespace ${NAMESPACE}\notherwise set verify.smoke: false`,
  });
}
