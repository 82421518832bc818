import { createPrivateKey, createPublicKey, type KeyObject, sign as signBytes } from "node:crypto";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import { bitString, explicit, objectId, sequence, setOf, unsignedInteger } from "@talosmith/lib/x509/der.ts";
import { type SubjectAltNames, subjectAltNames } from "@talosmith/lib/x509/extensions.ts";
import { nameOf, type Subject } from "@talosmith/lib/x509/name.ts";
import { encodePem } from "@talosmith/lib/x509/pem.ts";
import type { NodeView } from "../../talos/view.ts";
import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { nameSuffix } from "../identity.ts";
import type { KubeObject } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { kubernetesState } from "../state.ts";
import { all, put } from "../store/store.ts";
import { isTrue } from "./conditions.ts";

const REQUESTS = builtin("certificatesigningrequests.certificates.k8s.io");
const SIGNER = "kubernetes.io/kubelet-serving";
const VALID = { notBefore: new Date("2025-01-01T00:00:00Z"), notAfter: new Date("2045-01-01T00:00:00Z") };

/** Requests serving certificates for kubelets that are configured to rotate them, and signs approved requests. */
export function lookAfterCertificates(cluster: SimulatedCluster): void {
  for (const view of cluster.nodes) {
    if (view.kubelet.running && view.kubelet.rotatesServerCertificate && !hasAsked(cluster, view)) ask(cluster, view);
  }
  for (const request of all(cluster, REQUESTS)) {
    const signs = request.spec.signerName === SIGNER && isTrue(request, "Approved") && !isTrue(request, "Denied");
    if (signs && request.status?.certificate === undefined) sign(cluster, request);
  }
}

const userOf = (name: string) => `system:node:${name}`;

/** Whether the kubelet has a request already. After a denial it asks again when its machine has rebooted. */
function hasAsked(cluster: SimulatedCluster, { name, bootId }: NodeView): boolean {
  return all(cluster, REQUESTS).some(
    ({ spec, metadata, status }) =>
      spec.signerName === SIGNER &&
      spec.username === userOf(name) &&
      (status?.certificate !== undefined || metadata.annotations?.[BOOT] === bootId),
  );
}

const BOOT = "lab.talosmith.dev/boot";

function ask(cluster: SimulatedCluster, { name, nodeIp, bootId }: NodeView): void {
  const names = { dns: [name], ip: [nodeIp] };
  const request = certificateRequest(keyOf(cluster), { commonName: userOf(name), organizations: ["system:nodes"] }, names);
  createObject(
    cluster,
    REQUESTS,
    undefined,
    {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: `csr-${nameSuffix(cluster.lab)}`, annotations: { [BOOT]: bootId } },
      spec: {
        request: Buffer.from(request).toString("base64"),
        signerName: SIGNER,
        usages: ["digital signature", "server auth"],
        username: userOf(name),
        groups: ["system:nodes", "system:authenticated"],
      },
    },
    quietly(),
  );
}

function keyOf({ lab }: SimulatedCluster) {
  return createPrivateKey(kubernetesState(lab).serverKey);
}

/** Signs with the lab's own key, which is available without asking the machine. */
function sign(cluster: SimulatedCluster, request: KubeObject): void {
  const name = String(request.spec.username).replace(/^system:node:/, "");
  const view = cluster.nodes.find((node) => node.name === name);
  const { ca } = cluster.settings;
  const certificate = createCertificate({
    ...VALID,
    subject: { commonName: userOf(name), organizations: ["system:nodes"] },
    publicKey: keyOf(cluster),
    issuer: { certificate: ca.certificate, key: createPrivateKey(ca.key) },
    serial: cluster.lab.world.random.bytes(16),
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { dns: [name], ip: view ? [view.nodeIp] : [] },
  });
  const status = { ...request.status, certificate: Buffer.from(certificate).toString("base64") };
  put(cluster, REQUESTS, { ...request, status });
}

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";

/** A PKCS #10 request as a kubelet sends it: RFC 2986. */
function certificateRequest(key: KeyObject, subject: Subject, names: SubjectAltNames): string {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const extensions = sequence(subjectAltNames(names, false));
  const attributes = sequence(objectId(EXTENSION_REQUEST), setOf(extensions));
  const wanted = sequence(unsignedInteger(Buffer.from([0])), nameOf(subject), publicKey, explicit(0, attributes));
  const signature = signBytes("sha256", wanted, key);
  const der = sequence(wanted, sequence(objectId(ECDSA_WITH_SHA256)), bitString(signature));
  return encodePem({ label: "CERTIFICATE REQUEST", der });
}
