import type { TLSSocket } from "node:tls";
import type { World } from "@talosmith/lib/world/world.ts";

/** The expiry of an API server's certificate, which the cluster's CA must have signed. Milliseconds since the epoch. */
export async function presentedUntil(
  world: World,
  at: { host: string; port: number },
  ca: string,
  signal: AbortSignal,
): Promise<number> {
  const socket = await world.net.dial({ ...at, tls: { trust: { by: "ca", pem: ca } } }, signal);
  try {
    return Date.parse((socket as TLSSocket).getPeerCertificate().valid_to);
  } finally {
    socket.destroy();
  }
}
