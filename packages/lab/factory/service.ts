import { createCertificate } from "@talosmith/lib/x509/certificate.ts";
import { answering, type Handling, type Incoming, type Reply } from "../kernel/answer.ts";
import type { Lab, Service } from "../kernel/kernel.ts";
import { createRouter } from "../kernel/router.ts";
import { refusals } from "./refusals.ts";
import { plain, Refused } from "./reply.ts";
import { routes } from "./routes.ts";
import { canonicalYaml, schematicId } from "./schematic.ts";
import { FACTORY, type FactoryState } from "./state.ts";
import { strikes } from "./strikes.ts";

export const FACTORY_PORT = 8080;
const FACTORY_TLS_PORT = 8443;

/** Schematics that the real factory already knows (docs/facts/talos.md#schematics), by their extensions in this order. */
const SENT_ALREADY = [
  [],
  ["siderolabs/qemu-guest-agent"],
  ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"],
  ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools", "siderolabs/qemu-guest-agent"],
];

export interface FactoryOptions {
  /** Virtual time that the first request of an image takes. */
  buildMs?: number;
}

/** The Talos image factory: over plain HTTP, and with TLS under the real factory's name. */
export function factoryService(options: FactoryOptions = {}): Service {
  const buildMs = options.buildMs ?? 90_000;
  return {
    name: FACTORY,
    initial: (): FactoryState => {
      const known = SENT_ALREADY.map((officialExtensions) =>
        canonicalYaml({ customization: officialExtensions.length === 0 ? {} : { systemExtensions: { officialExtensions } } }),
      );
      return { schematics: Object.fromEntries(known.map((yaml) => [schematicId(yaml), yaml])), builds: {} };
    },
    endpoints: async (lab) => {
      const answer = answering(lab, {
        understand: (incoming) => understand(lab, buildMs, incoming),
        refuse: ({ status, message }) => plain(status, message),
        fail,
      });
      const host = lab.address.host(2);
      const tls = await ensureCertificate(lab);
      return [
        { host, port: FACTORY_PORT, answer },
        { host, port: FACTORY_TLS_PORT, tls, answer },
      ];
    },
    refusals,
    strikes,
    publish: (lab) => ({
      url: factoryUrl(lab),
      ca: lab.state<FactoryState>(FACTORY).tls?.certificate ?? "",
      secure: `${lab.address.host(2)}:${FACTORY_TLS_PORT}`,
    }),
  };
}

export function factoryUrl(lab: Lab): string {
  return `http://${lab.address.host(2)}:${FACTORY_PORT}`;
}

const route = createRouter(routes);

function understand(lab: Lab, buildMs: number, incoming: Incoming): Handling {
  const found = route(incoming.method, incoming.path);
  if (found.kind !== "found") {
    const call = { service: FACTORY, site: `${incoming.method} (unknown)`, resource: incoming.path, mutating: false };
    const reply = found.kind === "other-method" ? plain(405, "Method Not Allowed") : plain(404, "404 page not found");
    return { call, handle: () => reply };
  }
  const { site, params, handler } = found;
  return {
    call: { service: FACTORY, site, resource: handler.resource(params), mutating: incoming.method === "POST" },
    handle: (fault) => handler.handle({ lab, incoming, params, buildMs, broken: fault !== undefined }),
  };
}

/** The real factory does not explain internal errors either. */
function fail(error: unknown): Reply {
  return error instanceof Refused ? plain(error.status, error.message) : plain(500, "internal server error");
}

/** TLS is checked against real time, not the lab's time. */
const NOT_BEFORE = new Date("2025-01-01T00:00:00Z");
const NOT_AFTER = new Date("2045-01-01T00:00:00Z");

/** Creates the factory's own certificate; a client that a wire leads here must trust its authority. */
async function ensureCertificate(lab: Lab): Promise<{ certificate: string; key: string }> {
  const state = lab.state<FactoryState>(FACTORY);
  if (state.tls) return state.tls;
  const { publicKey, privateKey } = await lab.world.keys.p256();
  const certificate = createCertificate({
    subject: { commonName: "lab image factory" },
    publicKey,
    issuer: { key: privateKey },
    serial: lab.world.random.bytes(16),
    notBefore: NOT_BEFORE,
    notAfter: NOT_AFTER,
    ca: {},
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth"],
    subjectAltNames: { dns: ["factory.talos.dev"], ip: [lab.address.host(2)] },
  });
  state.tls = { certificate, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
  return state.tls;
}
