import { HttpClient } from "@talosmith/lib/http/client.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { expect } from "vitest";
import type { KubernetesObject } from "../../../objects.ts";
import { type KubernetesClient, openKubernetes } from "../../kubernetes-client.ts";

/** An API server with the CA of its clients. */
export interface Authority {
  url: string;
  /** PEM, as all here. */
  ca: string;
  person(user: string, groups: string[]): Promise<{ certificate: string; key: string }>;
}

// biome-ignore lint/suspicious/noExplicitAny: expectations look into objects of every shape.
export type Loose = any;

export interface RawAnswer {
  status: number;
  body: Loose;
  /** The warnings that `kubectl` prints as "Warning: …". */
  warnings: string[];
}

export interface RawRequest {
  body?: unknown;
  type?: string;
  token?: string;
}

/** A user of the API: through the client, and by raw requests for calls that the client lacks. */
export interface Person {
  client: KubernetesClient;
  call(method: string, path: string, request?: RawRequest): Promise<RawAnswer>;
  /** A server-side apply by another manager. */
  applyAs(manager: string, path: string, object: object, force?: boolean): Promise<RawAnswer>;
}

const world = realWorld();
export const signal = new AbortController().signal;

export class Place {
  readonly #authority: Authority;
  readonly #open: { close(): unknown }[] = [];
  /** Unique names: a real server without controllers keeps the objects. */
  readonly #run = Buffer.from(world.random.bytes(3)).toString("hex");
  #names = 0;
  admin!: Person;

  private constructor(authority: Authority, closing: { close(): unknown }[]) {
    this.#authority = authority;
    this.#open.push(...closing);
  }

  static async at(authority: Authority, ...closing: { close(): unknown }[]): Promise<Place> {
    const place = new Place(authority, closing);
    place.admin = await place.person("admin", ["system:masters"]);
    return place;
  }

  async person(user: string, groups: string[] = []): Promise<Person> {
    return this.#with(await this.#authority.person(user, groups));
  }

  /** Without a certificate. */
  nobody(): Person {
    return this.#with({});
  }

  /** A new namespace. On the real server no controller creates the service account that pods need. */
  async namespace(labels: Record<string, string> = {}): Promise<string> {
    const name = this.name();
    await this.admin.client.apply(named("v1", "Namespace", { name, ...(Object.keys(labels).length > 0 && { labels }) }), signal);
    await this.admin.client.apply(named("v1", "ServiceAccount", { name: "default", namespace: name }), signal);
    return name;
  }

  /** A name that was not used before. */
  name(): string {
    return `expect-${this.#run}-${++this.#names}`;
  }

  async close(): Promise<void> {
    for (const one of this.#open.splice(0).reverse()) await one.close();
  }

  #with(who: { certificate?: string; key?: string }): Person {
    const { url, ca } = this.#authority;
    const options = { trust: { by: "ca", pem: ca } as const, ...who, maxConnections: 4, idleMs: 10_000 };
    const http = new HttpClient(world, url, options, { calls: 0, bytes: 0 });
    const { certificate = "", key = "" } = who;
    const client = openKubernetes(world, async () => ({ servers: [url], ca, certificate, key }));
    this.#open.push(http, client);
    const call: Person["call"] = async (method, path, { body, type = "application/json", token } = {}) => {
      const answer = await http.request({
        method,
        path,
        headers: {
          accept: "application/json",
          ...(body !== undefined && { "content-type": type }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: answer.status, body: contentOf(answer.body), warnings: warningsOf(answer.headers?.warning) };
    };
    return {
      client,
      call,
      applyAs: (manager, path, object, force = false) =>
        call("PATCH", `${path}?fieldManager=${manager}${force ? "&force=true" : ""}`, {
          body: object,
          type: "application/apply-patch+yaml",
        }),
    };
  }
}

export function named<T extends object>(
  apiVersion: string,
  kind: string,
  metadata: KubernetesObject["metadata"] & { finalizers?: string[] },
  rest?: T,
): KubernetesObject & T {
  return { apiVersion, kind, metadata, ...(rest as T) };
}

export function configMap(
  namespace: string,
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
) {
  const marked = Object.keys(labels).length > 0 && { labels };
  return named("v1", "ConfigMap", { name, namespace, ...marked }, { data });
}

export const configMaps = (namespace: string, name?: string) =>
  `/api/v1/namespaces/${namespace}/configmaps${name === undefined ? "" : `/${name}`}`;

/** A kind of which nothing else creates objects in a namespace, so that a list contains only the test's. */
export function lease(namespace: string, name: string, holderIdentity = "x", labels?: Record<string, string>) {
  return named(LEASE.apiVersion, LEASE.kind, { name, namespace, ...(labels && { labels }) }, { spec: { holderIdentity } });
}

export const LEASE = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
export const leases = (namespace: string, name?: string) =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === undefined ? "" : `/${name}`}`;

/** Waits for informers and controllers inside the server. */
export async function eventually(look: () => Promise<boolean>): Promise<void> {
  for (let left = 400; !(await look()); left--) {
    expect(left, "it did not come about").toBeGreaterThan(0);
    await world.clock.sleep(25);
  }
}

function contentOf(text: string): Loose {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** RFC 7234: `299 - "text"`, with quotes and backslashes escaped, several in a line or in lines of their own. */
function warningsOf(header: string | string[] | undefined): string[] {
  const text = [header ?? []].flat().join(", ");
  return [...text.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, said = ""]) => said.replace(/\\(.)/g, "$1"));
}
