import { createPrivateKey } from "node:crypto";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import ipaddr from "ipaddr.js";
import { listenAddress } from "../kernel/address-map.ts";
import type { Lab } from "../kernel/kernel.ts";
import type { ServerView } from "./cluster.ts";
import { serviceAddress } from "./defaults/services.ts";

/** Long enough for clients, which check it by their own clock. */
const NOT_BEFORE = new Date("2025-01-01T00:00:00Z");
const NOT_AFTER = new Date("2045-01-01T00:00:00Z");

/** The API server's certificate from the cluster's CA. Its key is the lab's, so that certificates for all doors are created without waiting. */
export function serverCertificate(lab: Lab, server: ServerView, vips: readonly string[], key: string): string {
  const { ca, endpoint, certSans, dnsDomain, serviceSubnets } = server.controlPlane;
  const addresses = [server.address, ...vips];
  const names = [
    ...[...addresses, ...addresses.map((address) => listenAddress(lab, address)), new URL(endpoint).hostname, ...certSans],
    ...["kubernetes", "kubernetes.default", "kubernetes.default.svc", `kubernetes.default.svc.${dnsDomain}`, "localhost"],
    ...["127.0.0.1", serviceAddress(serviceSubnets, 1), server.name],
  ].map((name) => name.replace(/^\[|\]$/g, ""));
  const isAddress = (name: string) => ipaddr.IPv4.isValidFourPartDecimal(name) || ipaddr.IPv6.isValid(name);
  const unique = [...new Set(names)];
  const privateKey = createPrivateKey(key);
  return createCertificate({
    subject: { commonName: "kube-apiserver", organizations: ["kube-master"] },
    publicKey: privateKey,
    issuer: { certificate: ca.certificate, key: createPrivateKey(ca.key) },
    serial: lab.world.random.bytes(16),
    notBefore: NOT_BEFORE,
    notAfter: NOT_AFTER,
    keyUsage: ["digitalSignature", "keyEncipherment"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { ip: unique.filter(isAddress), dns: unique.filter((name) => !isAddress(name)) },
  });
}
