import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import type { Permission } from "../access/permission.ts";
import type { Properties } from "../parameters/property.ts";
import type { Parameters } from "../parameters/schema.ts";
import type { Release } from "../release.ts";
import type { ProxmoxState } from "../state.ts";

/** A call that has passed everything that can be checked before its handler. */
export interface ApiCall {
  lab: Lab;
  state: ProxmoxState;
  /** "root@pam" or "user@realm!token"; empty where nobody had to log in. */
  caller: string;
  /** Path and body together, verified. */
  params: Parameters;
  /** The host it is for: the one in the path, or the one that was asked. */
  node: string;
  /** The host that was asked. */
  entry: string;
  /** The work this call starts ends with this text. */
  fault: string | undefined;
  /** An uploaded file. */
  file?: { name: string; bytes: Buffer };
}

/** Data, with what travels beside it. */
export class Answer {
  readonly data: Json;
  readonly total: number;

  constructor(data: Json, total: number) {
    this.data = data;
    this.total = total;
  }
}

/** There is an answer once `poll` has one; asked again and again. Throws a Refusal like a handler. */
export class Later {
  readonly poll: () => { data: Json } | undefined;
  /** It waits for something outside the lab, which knows nothing of the lab's time: no limit is put on it. */
  readonly outside: boolean;

  constructor(poll: () => { data: Json } | undefined, outside = false) {
    this.poll = poll;
    this.outside = outside;
  }
}

/** Something that is not the same in every release. */
export type ByRelease<T> = T | ((release: Release) => T);

export interface Method {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  permission: ByRelease<Permission>;
  /** Besides those in the path. */
  parameters: ByRelease<Properties>;
  /** Not to be called with a token. */
  ticketOnly: boolean;
  /** Absent where it is in every release. */
  since?: (release: Release) => boolean;
  handler: (call: ApiCall) => Json | Answer | Later;
}

export interface MethodOptions {
  permission: ByRelease<Permission>;
  parameters?: ByRelease<Properties>;
  ticketOnly?: true;
  since?: (release: Release) => boolean;
}

export function route(method: Method["method"], path: string, options: MethodOptions, handler: Method["handler"]): Method {
  return { method, path, parameters: {}, ticketOnly: false, ...options, handler };
}

export function inRelease<T extends object | string>(value: ByRelease<T>, release: Release): T {
  return typeof value === "function" ? (value as (release: Release) => T)(release) : value;
}
