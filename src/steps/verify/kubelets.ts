import type { Check, Finding } from "../../engine/step.ts";
import { type SigningRequest, waitingRequests } from "../../kubernetes/health-certificates.ts";
import { serviceProblems } from "../../talos/health/services.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { lacksNetwork, leftOut } from "./without-cni.ts";

/** Talos' check 8. Workers' kubelets show in Kubernetes itself. */
export function kubeletHealthy(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "kubelet",
    title: "kubelets",
    until: "the kubelet is healthy on every control plane",
    look: async (see) =>
      orFine(
        serviceProblems(await see.services(), "kubelet", "KUBELET"),
        "KUBELET",
        "the kubelet is healthy on every control plane",
      ),
  });
}

const REQUESTS = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };

/** Checks that no kubelet waits for its serving certificate. The approver is a pod, which needs a network. */
export function kubeletCertificates(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "kubelet-certificates",
    title: "kubelet certificates",
    until: "no kubelet waits for its serving certificate",
    look: async (see, { signal }) => {
      if (await lacksNetwork(cluster, see)) return leftOut("kubelet certificates");
      const waiting = waitingRequests(await cluster.kubernetes.list<SigningRequest>(REQUESTS, signal));
      const hint = `nothing approves them, or the approver refuses: the addon metricsServer installs an approver; to approve by hand:  kubectl certificate approve ${waiting.map(({ request }) => request).join(" ")}`;
      const findings = waiting.map(({ node }): Finding => {
        const message = `${node}: its kubelet waits for its serving certificate to be approved`;
        return { level: "fail", code: "KUBELET_CERTIFICATE", message, hint };
      });
      return orFine(findings, "KUBELET_CERTIFICATE", "no kubelet waits for its serving certificate");
    },
  });
}
