import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Listener, World } from "@talosmith/lib/world/world.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import type { KubernetesAccess } from "../servers.ts";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: string;
  /** Common name of the client's certificate, when our CA signed it. */
  client: string | undefined;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** A streamed response: the text sent at once, and how it continues. */
  stream?: { says: readonly string[]; after: "ends" | "goes on" | "is cut" };
}

/** The response, or "cut" to drop the connection; undefined: the 404 of Kubernetes. */
export type Behaviour = (asked: Asked) => Reply | "cut" | undefined;

export interface ApiServer {
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}

export interface Identity {
  ca: string;
  issue(name: string): Promise<{ certificate: string; key: string }>;
}

/** A CA with certificates signed by it, as in secrets.yaml. */
export async function identity(world: World): Promise<Identity> {
  const pair = await world.keys.p256();
  const now = Date.now();
  const dates = { notBefore: new Date(now - 60_000), notAfter: new Date(now + 3_600_000) };
  const ca = createCertificate({
    subject: { organizations: ["kubernetes"] },
    publicKey: pair.publicKey,
    issuer: { key: pair.privateKey },
    serial: world.random.bytes(16),
    ...dates,
    ca: {},
    keyUsage: ["digitalSignature", "keyCertSign"],
    subjectKeyId: world.random.bytes(20),
  });
  return {
    ca,
    async issue(commonName) {
      const own = await world.keys.p256();
      const certificate = createCertificate({
        subject: { commonName },
        publicKey: own.publicKey,
        issuer: { certificate: ca, key: pair.privateKey },
        serial: world.random.bytes(16),
        ...dates,
        keyUsage: ["digitalSignature"],
        extKeyUsage: ["serverAuth", "clientAuth"],
        subjectAltNames: { ip: ["127.0.0.1"] },
      });
      return { certificate, key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
    },
  };
}

export const DISCOVERY: Record<string, unknown> = {
  "/api/v1": {
    kind: "APIResourceList",
    resources: [
      { name: "nodes", kind: "Node", namespaced: false },
      { name: "nodes/status", kind: "Node", namespaced: false },
      { name: "pods", kind: "Pod", namespaced: true },
      { name: "secrets", kind: "Secret", namespaced: true },
    ],
  },
  "/apis/batch/v1": {
    kind: "APIResourceList",
    resources: [
      { name: "jobs", kind: "Job", namespaced: true },
      { name: "jobs/status", kind: "Job", namespaced: true },
    ],
  },
};

export function status(code: number, reason: string, message: string): Reply {
  return { status: code, body: { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code } };
}

export async function apiServer(world: World, as: Identity, behave: Behaviour): Promise<ApiServer> {
  const asked: Asked[] = [];
  const { certificate, key } = await as.issue("kube-apiserver");
  const tls = { certificate, key, clients: { ca: as.ca, certificate: "asked" as const } };
  const listener: Listener = await world.net.serve({ host: "127.0.0.1", port: 0, tls }, (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "https://x");
      const socket = request.socket as TLSSocket;
      const one: Asked = {
        method: request.method ?? "",
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(parts).toString("utf8"),
        client: socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined,
      };
      asked.push(one);
      const reply =
        behave(one) ?? (DISCOVERY[one.path] ? { body: DISCOVERY[one.path] } : status(404, "NotFound", `${one.path} not found`));
      if (reply === "cut") return void request.socket.destroy();
      response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
      if (reply.stream) {
        const { says, after } = reply.stream;
        response.flushHeaders();
        for (const text of says) response.write(text);
        if (after === "ends") response.end();
        // The response must be flushed before the connection is cut.
        if (after === "is cut") response.write("", () => setImmediate(() => request.socket.destroy()));
        return;
      }
      response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
    });
  });
  return { url: `https://127.0.0.1:${listener.port}`, asked, close: () => listener.close() };
}

export async function accessTo(as: Identity, ...servers: string[]): Promise<KubernetesAccess> {
  return { servers, ca: as.ca, ...(await as.issue("admin")) };
}
