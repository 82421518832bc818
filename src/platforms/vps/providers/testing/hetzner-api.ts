import type { IncomingMessage } from "node:http";
import { Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { HetznerAccess } from "../hetzner/client.ts";

export const TOKEN = "LRK9DAWQ1ZAEFSrCNEEzLCUwhYX1U3g7wMg4dTlkkDC96fyDuyJ39nVbVjCKSDfj";

export interface ApiCall {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects.
  body: any;
}

export type ApiAnswer = { status?: number; body: unknown; headers?: Record<string, string> } | "cut";

/** The error as Hetzner Cloud writes it. */
export function refusal(status: number, code: string, message: string, details: unknown = null): ApiAnswer {
  return { status, body: { error: { code, message, details } } };
}

/** A server with the answers of a test; it records all calls. */
export async function answering(world: World, answer: (call: ApiCall, count: number) => ApiAnswer) {
  const calls: ApiCall[] = [];
  const listener = await world.net.serve({ host: "127.0.0.1", port: 0 }, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const { method = "", url = "", headers } = request;
    const call = { method, path: url.replace(/^\/v1/, ""), headers, body: text === "" ? undefined : JSON.parse(text) };
    calls.push(call);
    const given = answer(call, calls.length);
    if (given === "cut") return void response.socket?.destroy();
    response.writeHead(given.status ?? 200, { "content-type": "application/json", ...given.headers });
    response.end(given.body === undefined ? "" : JSON.stringify(given.body));
  });
  const access: HetznerAccess = { url: `http://127.0.0.1:${listener.port}/v1`, token: new Secret(TOKEN) };
  return { calls, access, close: () => listener.close() };
}

export interface ApiServer {
  id: number;
  name: string;
  ip: string;
  status?: string;
  rescue?: boolean;
}

interface ApiFirewall {
  id: number;
  name: string;
  labels: Record<string, string>;
  rules: unknown[];
  applied_to: { type: string; server?: { id: number }; label_selector?: { selector: string } }[];
}

/** A project with enough of the API for firewalls and rescue systems. */
export class ApiProject {
  readonly firewalls: ApiFirewall[] = [];
  readonly keys: { id: number; name: string; public_key: string }[] = [];
  readonly actions = new Map<number, { looks: number; error?: { code: string; message: string } }>();
  readonly servers: ApiServer[];
  #next = 1000;

  constructor(servers: readonly ApiServer[]) {
    this.servers = servers.map((server) => ({ ...server }));
  }

  answer = ({ method, path, body }: ApiCall): ApiAnswer => {
    const [, kind = "", id = "", , verb = ""] = (path.split("?")[0] ?? "").split("/");
    if (kind === "actions") return { body: { action: this.#look(Number(id)) } };
    if (kind === "servers") return this.#serverCall(method, id, verb, body);
    if (kind === "ssh_keys") return this.#keyCall(method, body);
    return this.#firewallCall(method, id, verb, body);
  };

  /** Running when it is looked at first, ended from then on. */
  #look(id: number) {
    const action = this.actions.get(id) ?? { looks: 0 };
    action.looks++;
    const status = action.looks === 1 ? "running" : action.error ? "error" : "success";
    return { id, command: "some_command", status, error: status === "error" ? action.error : null };
  }

  #action() {
    const id = this.#next++;
    this.actions.set(id, { looks: 0 });
    return { id, status: "running" };
  }

  // biome-ignore lint/suspicious/noExplicitAny: as it came.
  #serverCall(method: string, id: string, verb: string, body: any): ApiAnswer {
    const shown = (server: ApiServer) => ({
      id: server.id,
      name: server.name,
      status: server.status ?? "running",
      rescue_enabled: server.rescue ?? false,
      public_net: {
        ipv4: server.ip === "" ? null : { ip: server.ip },
        ipv6: { ip: `2001:db8:${server.id}::/64` },
        firewalls: this.firewalls
          .filter((firewall) => firewall.applied_to.some((one) => one.server?.id === server.id))
          .map((firewall) => ({ id: firewall.id, status: "applied" })),
      },
    });
    if (id === "") return { body: { servers: this.servers.map(shown), meta: { pagination: { next_page: null } } } };
    const server = this.servers.find((one) => String(one.id) === id);
    if (!server) return refusal(404, "not_found", `server with ID '${id}' not found`);
    if (method === "GET") return { body: { server: shown(server) } };
    if (verb === "enable_rescue") {
      if (server.rescue || !Array.isArray(body?.ssh_keys)) return refusal(422, "invalid_input", "rescue is enabled already");
      server.rescue = true;
      return { status: 201, body: { action: this.#action(), root_password: "zCWbFhnu950dUTko5f40" } };
    }
    if (verb === "disable_rescue") server.rescue = false;
    if (verb === "reset" || verb === "poweron") Object.assign(server, { status: "running", rescue: false });
    return { status: 201, body: { action: this.#action() } };
  }

  // biome-ignore lint/suspicious/noExplicitAny: as it came.
  #keyCall(method: string, body: any): ApiAnswer {
    if (method === "GET") return { body: { ssh_keys: this.keys, meta: { pagination: { next_page: null } } } };
    const key = { id: this.#next++, name: body.name, public_key: body.public_key };
    this.keys.push(key);
    return { status: 201, body: { ssh_key: key } };
  }

  // biome-ignore lint/suspicious/noExplicitAny: as it came.
  #firewallCall(method: string, id: string, verb: string, body: any): ApiAnswer {
    if (method === "GET") return { body: { firewalls: this.firewalls, meta: { pagination: { next_page: null } } } };
    if (id === "") {
      if (this.firewalls.some(({ name }) => name === body.name)) return refusal(409, "uniqueness_error", "name is already used");
      const firewall = { id: this.#next++, name: body.name, labels: body.labels, rules: body.rules, applied_to: body.apply_to };
      this.firewalls.push(firewall);
      return { status: 201, body: { firewall, actions: [this.#action()] } };
    }
    const firewall = this.firewalls.find((one) => String(one.id) === id);
    if (!firewall) return refusal(404, "not_found", `firewall with ID '${id}' not found`);
    const same = (a: unknown) => (b: unknown) => JSON.stringify(a) === JSON.stringify(b);
    if (method === "DELETE") {
      if (firewall.applied_to.length > 0) return refusal(422, "resource_in_use", "firewall must not be in use to be deleted");
      this.firewalls.splice(this.firewalls.indexOf(firewall), 1);
      return { status: 204, body: undefined };
    }
    if (verb === "set_rules") firewall.rules = body.rules;
    if (verb === "apply_to_resources") firewall.applied_to.push(...body.apply_to);
    if (verb === "remove_from_resources")
      firewall.applied_to = firewall.applied_to.filter((one) => !body.remove_from.some(same(one)));
    return { status: 201, body: { actions: [this.#action()] } };
  }
}
