import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import type { Permission } from "../access/permission.ts";
import type { Properties } from "../parameters/property.ts";
import type { Parameters } from "../parameters/schema.ts";
import type { Release } from "../release.ts";
import type { ProxmoxState } from "../state.ts";

/** A call that has passed all checks before its handler. */
export interface ApiCall {
  lab: Lab;
  state: ProxmoxState;
  /** "root@pam" or "user@realm!token"; empty when no login was required. */
  caller: string;
  /** Verified parameters of path and body together. */
  params: Parameters;
  /** The target host: the one in the path, or the one that received the call. */
  node: string;
  /** The host that received the call. */
  entry: string;
  /** A fault: the work that this call starts ends with this text. */
  fault: string | undefined;
  /** An uploaded file. */
  file?: { name: string; bytes: Buffer };
}

/** Data with its total count. */
export class ApiReply {
  readonly data: Json;
  readonly total: number;

  constructor(data: Json, total: number) {
    this.data = data;
    this.total = total;
  }
}

/** An answer that is ready once `poll` returns it; polled repeatedly. Throws a Refusal like a handler. */
export class Later {
  readonly poll: () => { data: Json } | undefined;
  /** It waits for a system outside the lab, which does not follow the lab's time: there is no time limit. */
  readonly outside: boolean;

  constructor(poll: () => { data: Json } | undefined, outside = false) {
    this.poll = poll;
    this.outside = outside;
  }
}

/** A value that differs between releases. */
export type ByRelease<T> = T | ((release: Release) => T);

export interface Method {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  permission: ByRelease<Permission>;
  /** Parameters besides those in the path. */
  parameters: ByRelease<Properties>;
  /** Tokens are refused. */
  ticketOnly: boolean;
  /** Absent for methods in every release. */
  since?: (release: Release) => boolean;
  handler: (call: ApiCall) => Json | ApiReply | Later;
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
