import { type Cidr, contains, formatIpv4, parseIpv4 } from "../cidr.ts";
import { userError } from "../errors.ts";
import { steadyClock } from "./steady-clock.ts";
import type { World } from "./world.ts";

/** Redirects connections, as curl's --connect-to does: a program that addresses a datacenter reaches a lab. */
export interface Wire {
  /** The wire file, for messages. */
  readonly file: string;
  readonly rules: readonly WireRule[];
  /** The PEM of an authority that is trusted in place of the system's. */
  readonly ca?: string;
  /** How many times faster than real time everything happens. */
  readonly timeScale?: number;
}

export interface WireRule {
  readonly from: DialTarget;
  readonly to: DialTarget;
}

/** A host or a network, at one port or, without `port`, at any. */
export interface DialTarget {
  readonly at: string | Cidr;
  readonly port?: number;
}

/**
 * A world whose connections are redirected by the wire. An address without a rule is refused unless it is on this machine, so nothing leaves it.
 * The peer must still prove the identity of the requested address.
 */
export function wiredWorld(world: World, wire: Wire): World {
  return {
    ...world,
    ...(wire.timeScale !== undefined && { clock: steadyClock(wire.timeScale) }),
    net: {
      ...world.net,
      async dial(to, signal) {
        if (to.over) return world.net.dial(to, signal);
        const { host, port } = lead(wire, to.host, to.port);
        if (!to.tls) return world.net.dial({ ...to, host, port }, signal);
        const { tls, ...plain } = to;
        const over = await world.net.dial({ ...plain, host, port }, signal);
        const trust = tls.trust.by === "system" && wire.ca !== undefined ? { by: "ca" as const, pem: wire.ca } : tls.trust;
        return world.net.dial({ ...to, tls: { ...tls, trust }, over }, signal).catch((error: unknown) => {
          over.destroy();
          throw error;
        });
      },
    },
  };
}

/** The address that a connection is redirected to, by the most specific rule. */
export function lead(wire: Wire, host: string, port: number): { host: string; port: number } {
  const fitting = wire.rules.filter(({ from }) => fits(from, host, port));
  const [rule] = fitting.sort((a, b) => byPrecision(a.from, b.from));
  if (rule) return { host: counterpart(rule, host), port: rule.to.port ?? port };
  if (isLocal(host)) return { host, port };
  throw userError("WIRE_UNMAPPED", {
    message: `Unable to connect to ${host}:${port}: ${wire.file} has no rule for it`,
    hint: `add a line below connect: in ${wire.file}, such as\n  "${host}:${port}": "127.80.1.1:${port}"\nor run without --wire to reach the real ${host}`,
  });
}

export function isLocal(host: string): boolean {
  return host === "localhost" || host === "::1" || (parseIpv4(host) !== undefined && host.startsWith("127."));
}

function fits({ at, port: wanted }: DialTarget, host: string, port: number): boolean {
  if (wanted !== undefined && wanted !== port) return false;
  if (typeof at === "string") return at === host.toLowerCase();
  const address = parseIpv4(host);
  return address !== undefined && contains(at, address);
}

/** The leading bits of an address that are given; a host is more precise than a network of one address. */
export function precision({ at }: DialTarget): number {
  return typeof at === "string" ? 33 : at.prefix;
}

/** A host before a network, a small network before a large one, one port before any port. */
function byPrecision(a: DialTarget, b: DialTarget): number {
  return precision(b) - precision(a) || Number(b.port !== undefined) - Number(a.port !== undefined);
}

/** The address at the same offset in the other network: networks are only mapped to networks of the same size. */
function counterpart({ from, to }: WireRule, host: string): string {
  if (typeof to.at === "string") return to.at;
  const offset = Number(parseIpv4(host)) - (from.at as Cidr).network;
  return formatIpv4(to.at.network + offset);
}
