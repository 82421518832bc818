import type { Role } from "../../../config/config.ts";
import type { Authority } from "../../secrets/bundle.ts";
import type { JsonObject } from "../document.ts";

/** A CA in the original format. A worker that held a CA's key is refused by Talos; its empty key is how talosctl writes that. */
export function authorityPair(authority: Authority, role: Role): JsonObject {
  return { crt: base64(authority.certificate), key: role === "worker" ? "" : base64(authority.key.reveal()) };
}

export function base64(pem: string): string {
  return Buffer.from(pem).toString("base64");
}

/** A CA in a document of its own: there PEM is written as it is. */
export function issuingAuthority(authority: Authority): JsonObject {
  return { cert: authority.certificate, key: authority.key.reveal() };
}
