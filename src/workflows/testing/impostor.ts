import { X509Certificate } from "node:crypto";
import { createServer, type TLSSocket } from "node:tls";
import { selfSigned } from "../../../test/support/self-signed.ts";

export interface Impostor {
  url: string;
  /** Fingerprint of its current certificate. */
  fingerprint(): string;
  /** Everything it received after the handshake. */
  heard(): string;
  /** Gives new connections another certificate. */
  change(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server with a self-signed certificate that gives every request the same answer and records what it receives. */
export async function impostor(answer = ""): Promise<Impostor> {
  let shown = await selfSigned("first");
  let heard = "";
  const sockets = new Set<TLSSocket>();
  const server = createServer({ cert: shown.certificate, key: shown.key }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (part) => {
      heard += part.toString("latin1");
      socket.end(answer);
    });
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    fingerprint: () => new X509Certificate(shown.certificate).fingerprint256,
    heard: () => heard,
    change: async () => {
      shown = await selfSigned("second");
      server.setSecureContext({ cert: shown.certificate, key: shown.key });
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
