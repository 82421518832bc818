import { createHash, X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { World } from "@talosmith/lib/world/world.ts";
import { withDeadline } from "./deadline.ts";
import { LIMIT_MS } from "./limits.ts";
import { codesOf, reasonOf } from "./reason.ts";

export const TALOS_PORT = 50_000;

export type Seen =
  | { is: "silent"; why: string }
  | {
      is: "there";
      /** undefined when it ended the handshake before we could keep it. */
      certificate: X509Certificate | undefined;
      /** Whether it refuses clients without a certificate. */
      asksWho: boolean;
    };

/** TLS 1.3 has an alert of its own for it; in 1.2 the handshake fails. */
const ASKS_WHO = /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE)$/;

/**
 * Makes a TLS handshake without a client certificate, and listens. Sends no data: a gRPC server speaks first (its HTTP/2 settings), and one that
 * requires a certificate sends an alert instead.
 */
export async function look(world: World, address: string, signal: AbortSignal): Promise<Seen> {
  let socket: Socket;
  try {
    const tls = { trust: { by: "nobody" } as const, serverName: address, alpn: ["h2"] };
    socket = await world.net.dial({ host: address, port: TALOS_PORT, tls }, signal);
  } catch (error) {
    signal.throwIfAborted();
    return refused(error) ? { is: "there", certificate: undefined, asksWho: true } : { is: "silent", why: reasonOf(error) };
  }
  const certificate = (socket as TLSSocket).getPeerX509Certificate();
  try {
    const greeted = await withDeadline(world.clock, LIMIT_MS.read, signal, (both) => firstWord(socket, both));
    if (greeted === "too late") return { is: "silent", why: "it accepts the connection and sends no response" };
    return { is: "there", certificate, asksWho: false };
  } catch (error) {
    signal.throwIfAborted();
    return refused(error) ? { is: "there", certificate, asksWho: true } : { is: "silent", why: reasonOf(error) };
  } finally {
    socket.destroy();
  }
}

function refused(error: unknown): boolean {
  return codesOf(error).some((code) => ASKS_WHO.test(code));
}

function firstWord(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    socket.once("data", () => resolve());
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("it closes the connection without a response")));
  });
}

/** Talos' spelling of a key: SHA-256 of the SubjectPublicKeyInfo in base64. */
export function keyOf(certificate: X509Certificate): string {
  return createHash("sha256")
    .update(certificate.publicKey.export({ type: "spki", format: "der" }))
    .digest("base64");
}

export function isSignedBy(certificate: X509Certificate, caPem: string): boolean {
  const ca = new X509Certificate(caPem);
  return certificate.checkIssued(ca) && certificate.verify(ca.publicKey);
}
