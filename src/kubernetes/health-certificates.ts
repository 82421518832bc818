import type { KubernetesObject, StatusCondition } from "./objects.ts";

export interface SigningRequest extends KubernetesObject {
  spec?: { signerName?: string; username?: string };
  status?: { conditions?: StatusCondition[]; certificate?: string };
}

const KUBELET_SERVING = "kubernetes.io/kubelet-serving";
const NODE_USER = "system:node:";

/** Kubelets whose newest request for a serving certificate is pending. They repeat requests, so older ones are ignored. */
export function waitingRequests(requests: readonly SigningRequest[]): { node: string; request: string }[] {
  const newest = new Map<string, SigningRequest>();
  for (const request of requests.filter(({ spec }) => spec?.signerName === KUBELET_SERVING)) {
    const node = (request.spec?.username ?? "").replace(NODE_USER, "");
    const known = newest.get(node);
    if (!known || madeAt(request) >= madeAt(known)) newest.set(node, request);
  }
  return [...newest]
    .filter(([, { status }]) => (status?.conditions ?? []).length === 0)
    .map(([node, { metadata }]) => ({ node, request: metadata.name }));
}

function madeAt({ metadata }: SigningRequest): number {
  return Date.parse(metadata.creationTimestamp ?? "") || 0;
}

const DAY_MS = 86_400_000;
/** Talos renews certificates after half of their year: one that is this close to its end was not renewed. */
const SOON_MS = 14 * DAY_MS;

/** "expires in 5 days", when that is too soon. */
export function endOfCertificate(until: number, now: number): string | undefined {
  const left = until - now;
  return left > SOON_MS ? undefined : `expires in ${Math.max(0, Math.floor(left / DAY_MS))} days`;
}
