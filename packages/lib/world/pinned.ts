import { createHash } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { remoteError, type TalosmithError } from "../errors.ts";
import type { Dial, Trust } from "./world.ts";

/** Checks the peer against a pinned certificate or key; undefined when it matches, or when nothing is pinned. */
export function wrongPin(trust: Trust, socket: TLSSocket, to: Dial): TalosmithError | undefined {
  if (trust.by === "fingerprint") {
    const seen = socket.getPeerCertificate().fingerprint256;
    if (seen?.toUpperCase() === trust.fingerprint.toUpperCase()) return undefined;
    return remoteError("TLS_FINGERPRINT", {
      message: `Unable to trust ${to.host}:${to.port}: its certificate is not the pinned one`,
      detail: `pinned ${trust.fingerprint}\nseen   ${seen}`,
      hint: "if the certificate was renewed on purpose, or the host has joined a cluster, compare the fingerprint with the one on the host itself and put it into the config; otherwise another machine may be intercepting the connection. Nothing was sent.",
    });
  }
  if (trust.by === "key") {
    const key = socket.getPeerX509Certificate()?.publicKey.export({ type: "spki", format: "der" });
    const seen = key && createHash("sha256").update(key).digest("base64");
    if (seen === trust.sha256) return undefined;
    return remoteError("TLS_KEY", {
      message: `Unable to trust ${to.host}:${to.port}: its key has changed`,
      detail: `before ${trust.sha256}\nnow    ${seen}\nNothing was sent.`,
    });
  }
  return undefined;
}
