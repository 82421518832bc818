import type { Check, Finding } from "../../engine/step.ts";
import { endOfCertificate, type SigningRequest, waitingRequests } from "../../kubernetes/health-certificates.ts";
import { presentedUntil } from "../../kubernetes/presented-certificate.ts";
import { messageOf } from "../../lib/errors.ts";
import { readBundle } from "../generate/secrets-bundle.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

const API_PORT = 6443;

/** No certificate of the cluster ends soon, and no kubelet waits for one. Those of people are in the files of `verify/access`. */
export function certificates(cluster: Cluster): Check {
  const { kubeletCertificates } = cluster.env.config.cluster;
  return verifyCheck(cluster, {
    id: "certificates",
    title: "certificates",
    until: "certificates are good and none is waited for",
    look: async (see, { signal, world }) => {
      const { certificate: ca } = readBundle(world, cluster.env, cluster.redactor).certs.k8s;
      const shown = see.controlPlanes.map(async (node) => {
        const until = presentedUntil(cluster.near, { host: node.ip, port: API_PORT }, ca, signal);
        return judged(node, await until.catch((error: unknown) => unseen(error, signal)), world.clock.now());
      });
      const findings = (await Promise.all(shown)).flat();
      return [
        ...orFine(findings, "API_CERTIFICATE", "the API servers' certificates do not end soon"),
        ...(kubeletCertificates ? await kubeletFindings(cluster, signal) : []),
      ];
    },
  });
}

/** That nobody answers there is told by others; what is wrong with a certificate is told here. */
function unseen(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  return messageOf(error);
}

function judged({ name, ip }: { name: string; ip: string }, until: number | string, now: number): Finding[] {
  const code = "API_CERTIFICATE";
  const hint = `Talos renews it by itself; when it does not, restart the node:  talosctl reboot -n ${ip}`;
  if (typeof until === "string")
    return [{ level: "fail", code, message: `${name}: its API server shows no certificate of this cluster: ${until}`, hint }];
  const end = endOfCertificate(until, now);
  return end === undefined ? [] : [{ level: "warn", code, message: `${name}: its API server's certificate ${end}`, hint }];
}

async function kubeletFindings({ kubernetes }: Cluster, signal: AbortSignal): Promise<Finding[]> {
  const of = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };
  const waiting = waitingRequests(await kubernetes.list<SigningRequest>(of, signal));
  const hint = `who approves them is not there, or refuses to: an addon does it (metricsServer brings one); by hand:  kubectl certificate approve ${waiting.map(({ request }) => request).join(" ")}`;
  const findings = waiting.map(({ node }): Finding => {
    const message = `${node}: its kubelet waits for its serving certificate to be approved`;
    return { level: "fail", code: "KUBELET_CERTIFICATE", message, hint };
  });
  return orFine(findings, "KUBELET_CERTIFICATE", "no kubelet waits for its serving certificate");
}
