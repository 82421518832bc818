import { parseCidr } from "@talosmith/lib/cidr.ts";
import { internalError } from "@talosmith/lib/errors.ts";
import { lead, type Wire, type WireRule, wiredWorld } from "@talosmith/lib/world/wire.ts";
import type { Net, World } from "@talosmith/lib/world/world.ts";
import type { AddressBlock } from "./kernel.ts";

// Systems whose only loopback address is 127.0.0.1, such as macOS: a port of it stands for each address and port of a lab (ADR 0014).

/** Every port on which something listens in a lab; a test compares them with the listeners of all sites. */
const PORTS = [2222, 6443, 7098, 7099, 8006, 8080, 8081, 8443, 50_000];
const ADDRESSES = 256;
/** Below the ports that systems give to outgoing connections: from 32,768 on Linux, from 49,152 on macOS. */
const FIRST_PORT = 10_240;
/** So many labs can run at a time. */
export const PORT_BLOCKS = Math.floor((32_768 - FIRST_PORT) / (PORTS.length * ADDRESSES));
const ONLY_HOST = "127.0.0.1";

/** The ports that stand for the addresses of a block: `{ "127.80.1.0/24:8006": "127.0.0.1:10240-10495" }`. */
export type Redirects = Readonly<Record<string, string>>;

function wireOf({ cidr }: AddressBlock, place: number): Wire {
  const at = parseCidr(cidr);
  if (!at) throw internalError("LAB_PORTS", { message: `Unable to read the network ${cidr}` });
  const rules = PORTS.map((port, index): WireRule => {
    const first = FIRST_PORT + (place * PORTS.length + index) * ADDRESSES;
    return { from: { at, port }, to: { at: ONLY_HOST, port: first, lastPort: first + ADDRESSES - 1 } };
  });
  return { file: "the lab", rules };
}

/** The network of a lab whose addresses are ports: it listens and dials as if the addresses were there. */
export function netOnPorts(world: World, block: AddressBlock, place: number): { net: Net; redirects: Redirects } {
  const wire = wireOf(block, place);
  const { net } = wiredWorld(world, wire);
  const behind = <A extends { host: string; port: number }>(at: A): A => {
    const there = lead(wire, at.host, at.port);
    if (there.host === ONLY_HOST) return { ...at, ...there };
    throw internalError("LAB_PORTS", { message: `No port of ${ONLY_HOST} stands for ${at.host}:${at.port}` });
  };
  const redirects = wire.rules.map(({ from, to }) => [`${block.cidr}:${from.port}`, `${to.at}:${to.port}-${to.lastPort}`]);
  return {
    net: {
      ...net,
      // The source of every connection is the only address.
      dial: ({ localAddress: _, ...to }, signal) => net.dial(to, signal),
      serve: (at, answer) => world.net.serve(behind(at), answer),
      listen: (at, accept) => world.net.listen(behind(at), accept),
    },
    redirects: Object.fromEntries(redirects),
  };
}
