import { type Cidr, contains, formatIpv4, parseIpv4 } from "../cidr.ts";
import { userError } from "../errors.ts";
import { steadyClock } from "./steady-clock.ts";
import type { Trust, World } from "./world.ts";

/** Redirects connections, as curl's --connect-to does: a program that addresses a datacenter reaches a lab. */
export interface Wire {
  /** The wire file, for messages. */
  readonly file: string;
  readonly rules: readonly WireRule[];
  /** The PEM of an authority that is trusted in place of the system's. */
  readonly ca?: string;
  /** How many times faster than real time everything happens. */
  readonly timeScale?: number;
  /** An address without a rule is dialled as it is, for a network below that decides; absent = it is refused unless it is on this machine. */
  readonly leavesOthers?: true;
}

export interface WireRule {
  readonly from: DialTarget;
  readonly to: DialTarget;
  /** How the lab's own identity is checked there, in place of the one that the client expects of the real server. */
  readonly trust?: { readonly tls?: Trust; readonly hostKey?: string };
  /** The lab answers there without TLS, whatever the client asks for. */
  readonly plain?: true;
}

/** A host or a network, at one port or, without `port`, at any. */
export interface DialTarget {
  readonly at: string | Cidr;
  readonly port?: number;
  /** The end of a range that begins with `port`: the ports of one host stand for the addresses of a network. */
  readonly lastPort?: number;
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
      leads: (host, port) => lead(wire, host, port),
      async dial(to, signal) {
        if (to.over) return world.net.dial(to, signal);
        const { host, port } = lead(wire, to.host, to.port);
        if (!to.tls) return world.net.dial({ ...to, host, port }, signal);
        const { tls, ...plain } = to;
        const over = await world.net.dial({ ...plain, host, port }, signal);
        const rule = ruleFor(wire, to.host, to.port);
        if (rule?.plain) return over;
        const trust = rule?.trust?.tls ?? trustOf(wire, tls.trust);
        return world.net.dial({ ...to, tls: { ...tls, trust }, over }, signal).catch((error: unknown) => {
          over.destroy();
          throw error;
        });
      },
      hostKey: (host, port) => ruleFor(wire, host, port)?.trust?.hostKey,
    },
  };
}

/** The address that a connection is redirected to, by the most specific rule. */
export function lead(wire: Wire, host: string, port: number): { host: string; port: number } {
  const rule = ruleFor(wire, host, port);
  if (rule) return { host: counterpart(rule, host), port: portOf(rule, host) ?? port };
  if (wire.leavesOthers || isLocal(host)) return { host, port };
  throw userError("WIRE_UNMAPPED", {
    message: `Unable to connect to ${host}:${port}: ${wire.file} has no rule for it`,
    hint: `add a line below connect: in ${wire.file}, such as\n  "${host}:${port}": "127.80.1.1:${port}"\nor run without --wire to reach the real ${host}`,
  });
}

function trustOf({ ca }: Wire, trust: Trust): Trust {
  return trust.by === "system" && ca !== undefined ? { by: "ca", pem: ca } : trust;
}

function ruleFor(wire: Wire, host: string, port: number): WireRule | undefined {
  const fitting = wire.rules.filter(({ from }) => fits(from, host, port));
  return fitting.sort((a, b) => byPrecision(a.from, b.from))[0];
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
  return formatIpv4(to.at.network + offsetIn(from, host));
}

function portOf({ from, to }: WireRule, host: string): number | undefined {
  return to.port === undefined || to.lastPort === undefined ? to.port : to.port + offsetIn(from, host);
}

const offsetIn = ({ at }: DialTarget, host: string) => Number(parseIpv4(host)) - (at as Cidr).network;
