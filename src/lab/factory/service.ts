import { answering, type Handling, type Incoming, type Reply } from "../kernel/answer.ts";
import type { Lab, Service } from "../kernel/kernel.ts";
import { createRouter } from "../kernel/router.ts";
import { plain, Refused } from "./reply.ts";
import { routes } from "./routes.ts";
import { canonicalYaml, schematicId } from "./schematic.ts";
import { FACTORY, type FactoryState } from "./state.ts";

export const FACTORY_PORT = 8080;

export interface FactoryOptions {
  /** Virtual time the first request of an image takes. */
  buildMs?: number;
}

/** The Talos image factory (talos.md section 6), over plain HTTP. */
export function factoryService(options: FactoryOptions = {}): Service {
  const buildMs = options.buildMs ?? 90_000;
  return {
    name: FACTORY,
    initial: (): FactoryState => {
      const untouched = canonicalYaml({ customization: {} });
      // Of all schematics this one the real factory has always been sent already.
      return { schematics: { [schematicId(untouched)]: untouched }, builds: {} };
    },
    endpoints: async (lab) => [
      {
        host: lab.address.host(2),
        port: FACTORY_PORT,
        answer: answering(lab, {
          understand: (incoming) => understand(lab, buildMs, incoming),
          refuse: ({ status, message }) => plain(status, message),
          fail,
        }),
      },
    ],
    publish: (lab) => ({ url: factoryUrl(lab) }),
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

/** The real one keeps its reasons to itself, too. */
function fail(error: unknown): Reply {
  return error instanceof Refused ? plain(error.status, error.message) : plain(500, "internal server error");
}
