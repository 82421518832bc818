import type { Loose } from "../objects.ts";
import type { Image, Process } from "../pods/program.ts";
import { InCluster } from "./in-cluster.ts";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const SIGNER = "kubernetes.io/kubelet-serving";

const isOfKubelet = ({ spec }: Loose) => spec.signerName === SIGNER && String(spec.username).startsWith("system:node:");

/** Approves every kubelet's request for a certificate of its own name. */
export async function approveKubelets(run: Process): Promise<void> {
  const api = new InCluster(run);
  for (const request of (await api.list(REQUESTS)).filter(isOfKubelet)) {
    const decided = (request.status?.conditions ?? []).some(({ type }: Loose) => type === "Approved" || type === "Denied");
    if (decided) continue;
    const at = new Date(run.now()).toISOString().replace(/\.\d+Z$/, "Z");
    await api.replace(`${REQUESTS}/${request.metadata.name}/approval`, {
      ...request,
      status: {
        ...request.status,
        conditions: [
          {
            type: "Approved",
            status: "True",
            reason: "AutoApproved",
            message: "Auto approving kubelet serving certificate after SubjectAccessReview.",
            lastUpdateTime: at,
            lastTransitionTime: at,
          },
        ],
      },
    });
    run.log(`approved ${request.metadata.name} of ${request.spec.username}`);
  }
}

export const WATCHED = "certificatesigningrequests.certificates.k8s.io";

/** alex1989hu/kubelet-serving-cert-approver */
export const certApprover: Image = {
  name: "alex1989hu/kubelet-serving-cert-approver",
  pullMs: 2000,
  entrypoint: ["/app/kubelet-serving-cert-approver"],
  readyMs: 1500,
  controls: { watches: [WATCHED], act: approveKubelets },
};

/** Its --metric-resolution, and the limit of its growing pauses. */
const FIRST_MS = 15_000;
const LONGEST_MS = 300_000;

/** Ready when it has read every kubelet once: with certificates of the cluster, or without verifying them. */
export const metricsServer: Image = {
  name: "metrics-server/metrics-server",
  pullMs: 3000,
  entrypoint: ["/metrics-server"],
  program: async (run) => {
    const api = new InCluster(run);
    if (run.argv.includes("--kubelet-insecure-tls")) {
      await run.sleep(FIRST_MS);
      return "stays";
    }
    for (let wait = FIRST_MS; ; wait = Math.min(2 * wait, LONGEST_MS)) {
      await run.sleep(wait);
      const untrusted = await selfSigned(api);
      if (untrusted.length === 0) return "stays";
      for (const { name, address } of untrusted) {
        run.log(
          `E0101 00:00:00.000000       1 scraper.go:149] "Failed to scrape node" err="Get \\"https://${address}:10250/metrics/resource\\": tls: failed to verify certificate: x509: cannot validate certificate for ${address} because it doesn't contain any IP SANs" node="${name}"`,
        );
      }
      run.log(
        'I0101 00:00:00.000000       1 server.go:192] "Failed probe" probe="metric-storage-ready" err="no metrics to serve"',
      );
    }
  },
};

async function selfSigned(api: InCluster): Promise<{ name: string; address: string }[]> {
  const signed = (await api.list(REQUESTS)).filter((one) => isOfKubelet(one) && one.status?.certificate !== undefined);
  const nodes = await api.list("/api/v1/nodes");
  return nodes
    .filter(({ metadata }) => !signed.some(({ spec }) => spec.username === `system:node:${metadata.name}`))
    .map(({ metadata, status }) => ({
      name: metadata.name,
      address: (status?.addresses ?? []).find(({ type }: Loose) => type === "InternalIP")?.address ?? "",
    }));
}
