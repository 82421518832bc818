import { X509Certificate } from "node:crypto";
import type { Authority } from "../secrets/bundle.ts";

const DAY_MS = 24 * 3_600_000;
/** Renewed this early, a file does not expire for a user who runs `up` occasionally. */
export const RENEW_DAYS = 60;

/** The reason why a client certificate gives no access to the cluster of this CA, or soon will not. */
export function certificateProblem(pem: string, authority: Authority, now: number): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    return "its certificate cannot be read";
  }
  const ca = new X509Certificate(authority.certificate);
  if (!certificate.checkIssued(ca) || !certificate.verify(ca.publicKey)) return "it is for another cluster";
  const days = Math.floor((Date.parse(certificate.validTo) - now) / DAY_MS);
  if (days < 0) return "it has expired";
  return days < RENEW_DAYS ? `it expires in ${days} days` : undefined;
}

/** Whole days until a certificate ends, below zero when it has; undefined when it cannot be read. */
export function daysLeft(pem: string, now: number): number | undefined {
  try {
    return Math.floor((Date.parse(new X509Certificate(pem).validTo) - now) / DAY_MS);
  } catch {
    return undefined;
  }
}

/** Whether two PEM texts hold the same certificate, however they are laid out. */
export function isSameCertificate(one: string, other: string): boolean {
  try {
    return new X509Certificate(one).fingerprint256 === new X509Certificate(other).fingerprint256;
  } catch {
    return false;
  }
}
