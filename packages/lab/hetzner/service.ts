import { answering, type Handling, type Incoming, type Reply } from "../kernel/answer.ts";
import type { Lab, Service } from "../kernel/kernel.ts";
import { createRouter } from "../kernel/router.ts";
import { ACTION_ENDS, type Effect, endAction } from "./actions.ts";
import { admits } from "./admission.ts";
import { checkToken, hetzner, spend } from "./call.ts";
import { firewallEffect } from "./firewall-actions.ts";
import { refusals } from "./refusals.ts";
import { Refused, refusalOf, refusalReply } from "./refused.ts";
import { routes } from "./routes.ts";
import { RESCUE_EXPIRES, rescueExpires, serverEffect } from "./server-actions.ts";
import { HETZNER, type HetznerState } from "./state.ts";

const HOST = 240;
const PORT = 8080;
const TOKEN_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A Hetzner Cloud project with the rescue service's servers (docs/facts/ssh-and-rented-servers.md#hetzner-cloud). */
export function hetznerService(): Service {
  return {
    name: HETZNER,
    initial: (lab): HetznerState => ({
      token: Array.from({ length: 64 }, (_, at) => TOKEN_LETTERS[Math.floor(lab.chance("hetzner token", at) * 62)]).join(""),
      servers: {},
      actions: [],
      sshKeys: [],
      firewalls: [],
      allowance: { left: 3600, at: lab.now() },
    }),
    transitions: {
      [ACTION_ENDS]: (lab, data) => {
        const { id, effect, fails } = data as unknown as { id: number; effect: Effect; fails?: string };
        if (!endAction(lab, id, fails)) return;
        serverEffect(lab, effect, id);
        firewallEffect(lab, effect);
      },
      [RESCUE_EXPIRES]: (lab, data) => {
        const { server, order } = data as { server: string; order: number };
        rescueExpires(lab, server, order);
      },
    },
    endpoints: async (lab) => {
      const answer = answering(lab, {
        understand: (incoming) => understand(lab, incoming),
        refuse: ({ status, message }) => refusalOf(status, message),
        fail,
      });
      return [{ host: lab.address.host(HOST), port: PORT, answer }];
    },
    admits,
    refusals,
    publish: (lab) => ({ url: `http://${lab.address.host(HOST)}:${PORT}/v1`, token: hetzner(lab).token }),
  };
}

const route = createRouter(routes);

function understand(lab: Lab, incoming: Incoming): Handling {
  const found = route(incoming.method, incoming.path);
  if (found.kind !== "found") {
    const call = { service: HETZNER, site: `${incoming.method} (unknown)`, resource: incoming.path, mutating: false };
    const code = found.kind === "other-method" ? "method_not_allowed" : "not_found";
    return { call, handle: () => refusalReply(new Refused(code, code.replaceAll("_", " "))) };
  }
  const { site, params, handler } = found;
  const resource = handler.resource(lab, params);
  return {
    call: { service: HETZNER, site, resource, mutating: incoming.method !== "GET" },
    handle: (fault) => {
      checkToken(hetzner(lab), incoming);
      const allowance = spend(lab);
      const reply = handler.handle({ lab, incoming, params, fault });
      return { ...reply, headers: { ...reply.headers, ...allowance } };
    },
  };
}

function fail(error: unknown): Reply {
  return refusalReply(error instanceof Refused ? error : new Refused("server_error", "an internal error occurred"));
}
