import { expect, test } from "vitest";
import { endOfCertificate, type SigningRequest, waitingRequests } from "./health-certificates.ts";

function request(
  name: string,
  node: string,
  at: string,
  rest: Partial<SigningRequest["spec"] & { condition: string }> = {},
): SigningRequest {
  const { condition, signerName = "kubernetes.io/kubelet-serving" } = rest;
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name, creationTimestamp: at },
    spec: { signerName, username: `system:node:${node}` },
    ...(condition && { status: { conditions: [{ type: condition, status: "True" }] } }),
  };
}

test("a pending request is reported", () => {
  expect(waitingRequests([request("csr-1", "worker-1", "2026-01-01T00:00:00Z")])).toEqual([
    { node: "worker-1", request: "csr-1" },
  ]);
});

test("one that was approved since makes older ones matter no more", () => {
  const old = request("csr-1", "worker-1", "2026-01-01T00:00:00Z");
  const approved = request("csr-2", "worker-1", "2026-01-01T00:15:00Z", { condition: "Approved" });
  expect(waitingRequests([approved, old])).toEqual([]);
});

test("certificates for other purposes are others' business", () => {
  const signerName = "kubernetes.io/kube-apiserver-client-kubelet";
  expect(waitingRequests([request("csr-1", "worker-1", "2026-01-01T00:00:00Z", { signerName })])).toEqual([]);
});

test("a certificate that should have been renewed is reported with its remaining days", () => {
  const day = 86_400_000;
  expect([200, 15, 13.5, 0.5].map((days) => endOfCertificate(days * day, 0))).toEqual([
    undefined,
    undefined,
    "expires in 13 days",
    "expires in 0 days",
  ]);
});
