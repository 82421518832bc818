import * as http from "node:http";
import type * as http2 from "node:http2";
import * as https from "node:https";
import * as net from "node:net";
import * as tls from "node:tls";
import { wrongPin } from "./pinned.ts";
import type { Admission, Dial, Listener, Net, Serve } from "./world.ts";

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

/** TLS contexts parsed from PEM once: most connections go to the same few servers. */
const contexts = new Map<string, tls.SecureContext>();
const KEPT_CONTEXTS = 64;

function contextOf({ trust, certificate: cert, key }: NonNullable<Dial["tls"]>): tls.SecureContext {
  const ca = trust.by === "ca" ? trust.pem : undefined;
  const name = JSON.stringify([cert, key, ca]);
  const context =
    contexts.get(name) ??
    tls.createSecureContext({
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(ca !== undefined && { ca }),
    });
  if (contexts.size >= KEPT_CONTEXTS) contexts.clear();
  contexts.set(name, context);
  return context;
}

/** A host that does not accept a connection within this time is unreachable. Real time, even with a faster clock: networks do not scale. */
const DIAL_MS = 10_000;

/** Runs a connection attempt with the dial time limit, until the caller aborts. */
export async function whileDialling<T>(connecting: (signal: AbortSignal) => Promise<T>, given?: AbortSignal): Promise<T> {
  const silence = AbortSignal.timeout(DIAL_MS);
  const signal = given ? AbortSignal.any([given, silence]) : silence;
  try {
    return await connecting(signal);
  } catch (error) {
    if (!silence.aborted || given?.aborted) throw error;
    throw Object.assign(new Error(`no answer within ${DIAL_MS / 1000} s`), { code: "EHOSTUNREACH" });
  }
}

async function connect(to: Dial, signal: AbortSignal): Promise<net.Socket> {
  if (!to.tls) {
    if (to.over) return to.over as net.Socket;
    return abortable(net.connect({ ...placeOf(to), noDelay: true }), "connect", signal);
  }
  const name = to.tls.serverName ?? to.host;
  const socket = tls.connect({
    ...(to.over ? { socket: to.over } : placeOf(to)),
    // Verifies the requested name, wherever the connection leads, and also when the name is an address.
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(name, certificate),
    ...(to.tls.alpn && { ALPNProtocols: [...to.tls.alpn] }),
    ...(net.isIP(name) === 0 && { servername: name }),
    secureContext: contextOf(to.tls),
    // A pinned certificate or key is checked below by its fingerprint, before a byte is sent.
    rejectUnauthorized: to.tls.trust.by === "ca" || to.tls.trust.by === "system",
  });
  socket.setNoDelay(true);
  await abortable(socket, "secureConnect", signal);
  const wrong = wrongPin(to.tls.trust, socket, to);
  if (wrong) {
    socket.destroy();
    throw wrong;
  }
  return socket;
}

function placeOf({ host, port, localAddress }: Dial): net.TcpNetConnectOpts {
  return { host, port, ...(localAddress !== undefined && { localAddress }) };
}

type RequestHandler = Parameters<Net["serve"]>[1];

function serverFor(at: Serve, answer: RequestHandler): net.Server {
  if (!at.tls) return http.createServer(answer);
  const { certificate, key, clients } = at.tls;
  const options = {
    cert: certificate,
    key,
    ...(clients && { ca: clients.ca, requestCert: true, rejectUnauthorized: clients.certificate === "required" }),
  };
  if (at.protocol !== "h2") return withManners(https.createServer(options, answer), at.tls);
  // Loaded by those that serve it, which is the lab.
  const { createSecureServer } = process.getBuiltinModule("node:http2");
  return createSecureServer({ ...options, ALPNProtocols: ["h2"] }, answer as unknown as Http2Answer);
}

/** The first byte of a TLS handshake. */
const HANDSHAKE = 22;
/** The event of a connection whose protocol is not known yet. */
const WAITING = "waiting";

/** Lets a server change its certificate, and answer clients that do not speak TLS. */
function withManners(server: https.Server, { certificate, current, plain, clients }: NonNullable<Serve["tls"]>): net.Server {
  if (!current && !plain) return server;
  const emit = (server as net.Server).emit.bind(server);
  const plainServer = plain && http.createServer(plain);
  let shown = certificate;
  server.emit = (event: string | symbol, ...values: unknown[]) => {
    const [socket] = values;
    if (event !== "connection" || !(socket instanceof net.Socket)) return emit(event, ...values);
    const now = current?.();
    if (now && now.certificate !== shown) {
      shown = now.certificate;
      server.setSecureContext({ cert: now.certificate, key: now.key, ...(clients && { ca: clients.ca }) });
    }
    if (!plainServer) return emit(event, socket);
    emit(WAITING, socket);
    socket.on("error", () => {});
    socket.once("readable", () => {
      const first: Buffer | null = socket.read(1);
      if (first === null) return void socket.destroy();
      socket.unshift(first);
      if (first[0] === HANDSHAKE) emit(event, socket);
      else plainServer.emit(event, socket);
    });
    return true;
  };
  return server;
}

/** Node's HTTP/2 compatibility requests have the members of HTTP/1 requests, but not their types. */
type Http2Answer = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;

function opened(server: net.Server, at: { host: string; port: number; admits?: Admission }): Promise<Listener> {
  const connections = new Set<net.Socket>();
  const keep = (socket: net.Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  };
  if (at.admits) turnAway(server, at.admits, keep);
  server.on("connection", keep);
  server.on(WAITING, keep);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: at.host, port: at.port, exclusive: true }, () => {
      server.removeListener("error", reject);
      resolve({
        host: at.host,
        port: (server.address() as net.AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const socket of connections) socket.destroy();
          }),
      });
    });
  });
}

/** Rejects connections before any other listener gets them. */
function turnAway(server: net.Server, admits: Admission, keep: (socket: net.Socket) => void): void {
  const emit = server.emit.bind(server);
  server.emit = (event: string | symbol, ...values: unknown[]) => {
    const [socket] = values;
    if (event !== "connection" || !(socket instanceof net.Socket)) return emit(event, ...values);
    const verdict = admits(socket.remoteAddress ?? "");
    if (verdict === "silent") {
      keep(socket);
      socket.on("error", () => {}).resume();
      return true;
    }
    if (!verdict) socket.destroy();
    return emit(event, ...values);
  };
}

/** Node answers an upgrade request only through the listeners of this event. */
function upgrading(take: NonNullable<Serve["upgrade"]>) {
  return (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const response = new http.ServerResponse(request);
    response.assignSocket(socket);
    response.once("finish", () => socket.end());
    take(request, response, () => {
      response.detachSocket(socket);
      return { socket, head };
    });
  };
}

export const realNet: Net = {
  dial: (to, given) => whileDialling((signal) => connect(to, signal), given),
  dialFile: (path, given) => whileDialling((signal) => abortable(net.connect({ path }), "connect", signal), given),
  serve: (at, answer) => {
    const server = serverFor(at, answer);
    if (at.upgrade) server.on("upgrade", upgrading(at.upgrade));
    return opened(server, at);
  },
  serveOn: (stream, answer) => void http.createServer(answer).emit("connection", stream),
  listen: (at, accept) =>
    opened(
      net.createServer({ noDelay: true }, (socket) => {
        if (!socket.destroyed) accept(socket);
      }),
      at,
    ),
};
