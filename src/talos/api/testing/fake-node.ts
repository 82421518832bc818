import type { Http2ServerRequest, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Dial, KeyPair, Listener, World } from "@talosmith/lib/world/world.ts";
import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import { State } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import { MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import { StorageService } from "@talosmith/wire/gen/storage/storage_pb.js";
import { TimeService } from "@talosmith/wire/gen/time/time_pb.js";
import type { Authority, SecretsBundle } from "../../secrets/bundle.ts";
import { createAuthority } from "../../secrets/create.ts";
import { privateKey } from "../../secrets/key-pem.ts";

const HOUR_MS = 3_600_000;

export interface Handlers {
  machine?: Partial<ServiceImpl<typeof MachineService>>;
  state?: Partial<ServiceImpl<typeof State>>;
  storage?: Partial<ServiceImpl<typeof StorageService>>;
  time?: Partial<ServiceImpl<typeof TimeService>>;
}

/** A network that maps addresses to servers of this process, and records all dials. */
export class FakeNetwork {
  readonly real: World;
  readonly world: World;
  readonly dialled: Dial[] = [];
  readonly sockets: Socket[] = [];
  readonly #ports = new Map<string, number>();
  readonly #listeners: Listener[] = [];

  constructor(timeScale = 1) {
    this.real = realWorld({ timeScale });
    const { net } = this.real;
    this.world = {
      ...this.real,
      net: {
        ...net,
        dial: async (to, signal) => {
          this.dialled.push(to);
          const tls = to.tls && { tls: { ...to.tls, serverName: to.tls.serverName ?? to.host } };
          const socket = await net.dial({ ...to, host: "127.0.0.1", port: this.#ports.get(to.host) ?? 1, ...tls }, signal);
          this.sockets.push(socket);
          return socket;
        },
      },
    };
  }

  async node(
    address: string,
    identity: { certificate: string; key: string; clientCa?: string },
    handlers: Handlers,
  ): Promise<Listener> {
    const { certificate, key, clientCa } = identity;
    const answer = connectNodeAdapter({
      connect: false,
      grpcWeb: false,
      routes: (router) => {
        router.service(MachineService, handlers.machine ?? {});
        router.service(State, handlers.state ?? {});
        router.service(StorageService, handlers.storage ?? {});
        router.service(TimeService, handlers.time ?? {});
      },
    });
    return this.#opened(
      address,
      await this.real.net.serve(
        {
          host: "127.0.0.1",
          port: 0,
          protocol: "h2",
          tls: { certificate, key, ...(clientCa !== undefined && { clients: { ca: clientCa, certificate: "required" } }) },
        },
        answer,
      ),
    );
  }

  /** A node with hand-written HTTP/2 responses. */
  async raw(
    address: string,
    { certificate, key, clientCa }: { certificate: string; key: string; clientCa: string },
    answer: (stream: ServerHttp2Stream, path: string) => void,
  ): Promise<Listener> {
    const tls = { certificate, key, clients: { ca: clientCa, certificate: "required" } } as const;
    const at = { host: "127.0.0.1", port: 0, protocol: "h2", tls } as const;
    const listener = await this.real.net.serve(at, (request) => {
      const { stream, url } = request as unknown as Http2ServerRequest;
      // Node's own answer would send trailers by itself.
      stream.removeAllListeners("wantTrailers");
      answer(stream, url);
    });
    return this.#opened(address, listener);
  }

  /** A server that is not a Talos node; the test handles its connections. */
  async plain(address: string, accept: Parameters<World["net"]["listen"]>[1]): Promise<Listener> {
    return this.#opened(address, await this.real.net.listen({ host: "127.0.0.1", port: 0 }, accept));
  }

  async close(): Promise<void> {
    for (const listener of this.#listeners.splice(0)) await listener.close();
  }

  #opened(address: string, listener: Listener): Listener {
    this.#ports.set(address, listener.port);
    this.#listeners.push(listener);
    return listener;
  }
}

export async function authority(world: World): Promise<Authority> {
  return createAuthority(world, new Redactor(), await world.keys.ed25519(), "talos");
}

/** A bundle with only the parts that the API needs: the rest takes seconds to generate. */
export function bundleWith(os: Authority): SecretsBundle {
  return { certs: { os } } as unknown as SecretsBundle;
}

/** An identity like apid's: signed by the cluster's CA for the node's address. */
export async function nodeIdentity(world: World, ca: Authority, address: string, more: { notAfter?: Date } = {}) {
  const issuer = { certificate: ca.certificate, key: privateKey(ca.key.reveal()) };
  return { ...(await leaf(world, issuer, await world.keys.ed25519(), address, more.notAfter)), clientCa: ca.certificate };
}

/** An identity as in maintenance mode: signed by a CA in memory, and without client certificates. */
export async function maintenanceIdentity(world: World, address: string) {
  const ca = await authority(world);
  return leaf(world, { certificate: ca.certificate, key: privateKey(ca.key.reveal()) }, await world.keys.ed25519(), address);
}

async function leaf(
  world: World,
  issuer: { certificate: string; key: ReturnType<typeof privateKey> },
  pair: KeyPair,
  address: string,
  notAfter = new Date(world.clock.now() + 24 * HOUR_MS),
) {
  const certificate = createCertificate({
    subject: { commonName: "node" },
    publicKey: pair.publicKey,
    issuer,
    serial: world.random.bytes(16),
    notBefore: new Date(world.clock.now() - 48 * HOUR_MS),
    notAfter,
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { ip: [address] },
  });
  return { certificate, key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
