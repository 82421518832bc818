import * as http from "node:http";
import * as https from "node:https";
import * as net from "node:net";
import * as tls from "node:tls";
import { remoteError } from "../errors.ts";
import type { Dial, Listener, Net, Trust } from "./world.ts";

function abortable<S extends net.Socket>(
  socket: S,
  ready: "connect" | "secureConnect",
  signal: AbortSignal | undefined,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      socket.removeListener(ready, onReady);
      socket.removeListener("error", onError);
      signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const onReady = () => settle(() => resolve(socket));
    const onError = (error: Error) => settle(() => reject(error));
    const onAbort = () => {
      socket.on("error", () => {});
      socket.destroy();
      settle(() => reject(signal?.reason));
    };
    if (signal?.aborted) return onAbort();
    socket.once(ready, onReady);
    socket.once("error", onError);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function tlsTrust(trust: Trust): tls.ConnectionOptions {
  if (trust.by === "ca") return { ca: trust.pem };
  if (trust.by === "system") return {};
  // A pinned certificate is judged below by its fingerprint alone, before a byte is sent.
  return { rejectUnauthorized: false };
}

/** Whoever does not pick up within this time is not there. Real time, whatever the world's clock says: networks do not scale. */
const DIAL_MS = 10_000;

async function dial(to: Dial, given?: AbortSignal): Promise<net.Socket> {
  const silence = AbortSignal.timeout(DIAL_MS);
  const signal = given ? AbortSignal.any([given, silence]) : silence;
  try {
    return await connect(to, signal);
  } catch (error) {
    if (!silence.aborted || given?.aborted) throw error;
    throw Object.assign(new Error(`nobody answers within ${DIAL_MS / 1000} s`), { code: "EHOSTUNREACH" });
  }
}

async function connect(to: Dial, signal: AbortSignal): Promise<net.Socket> {
  if (!to.tls) {
    return abortable(net.connect({ host: to.host, port: to.port, noDelay: true }), "connect", signal);
  }
  const name = to.tls.serverName ?? to.host;
  const socket = tls.connect({
    host: to.host,
    port: to.port,
    ...(net.isIP(name) === 0 && { servername: name }),
    ...(to.tls.certificate !== undefined && { cert: to.tls.certificate }),
    ...(to.tls.key !== undefined && { key: to.tls.key }),
    ...tlsTrust(to.tls.trust),
  });
  socket.setNoDelay(true);
  await abortable(socket, "secureConnect", signal);
  if (to.tls.trust.by === "fingerprint") {
    const seen = socket.getPeerCertificate().fingerprint256;
    if (seen?.toUpperCase() !== to.tls.trust.fingerprint.toUpperCase()) {
      socket.destroy();
      throw remoteError("TLS_FINGERPRINT", {
        message: `Unable to trust ${to.host}:${to.port}: its certificate is not the pinned one`,
        detail: `pinned ${to.tls.trust.fingerprint}\nseen   ${seen}`,
        hint: "if the certificate was renewed on purpose, put the new fingerprint into the config; otherwise somebody may be in between. Nothing was sent.",
      });
    }
  }
  return socket;
}

export const realNet: Net = {
  dial,
  serve: (at, answer) =>
    new Promise((resolve, reject) => {
      const server = at.tls
        ? https.createServer({ cert: at.tls.certificate, key: at.tls.key }, answer)
        : http.createServer(answer);
      server.once("error", reject);
      server.listen({ host: at.host, port: at.port, exclusive: true }, () => {
        server.removeListener("error", reject);
        const port = (server.address() as net.AddressInfo).port;
        const listener: Listener = {
          host: at.host,
          port,
          close: () =>
            new Promise((closed) => {
              server.close(() => closed());
              server.closeAllConnections();
            }),
        };
        resolve(listener);
      });
    }),
};
