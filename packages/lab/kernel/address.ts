import { createHash } from "node:crypto";
import { messageOf, remoteError, userError } from "@talosmith/lib/errors.ts";
import type { Listener, Net, World } from "@talosmith/lib/world/world.ts";
import type { AddressBlock } from "./kernel.ts";
import { netOnPorts, PORT_BLOCKS, type Redirects } from "./ports.ts";

/** The process that listens on this port of a block owns the block: the lease ends with the process and leaves nothing on disk. */
export const LEASE_PORT = 7099;

/** 127.64.1 to 127.127.254: unused by distributions, and rarely by people. */
const FIRST = 64;
const SECONDS = 64;
const THIRDS = 254;
const BLOCKS = SECONDS * THIRDS;
const TRIES = 512;

export interface Lease {
  address: AddressBlock;
  /** The network in which these addresses exist. */
  net: Net;
  /** Set when the system has no other loopback address than 127.0.0.1: the ports that stand for the addresses. */
  redirects?: Redirects;
  release(): Promise<void>;
}

export function addressBlock(prefix: string): AddressBlock {
  return { prefix, cidr: `${prefix}.0/24`, host: (last) => `${prefix}.${last}` };
}

/** Leases the first free block, starting at the preferred one or, by default, at a position derived from this process. */
export async function leaseAddresses(world: World, salt: string, preferred?: string): Promise<Lease> {
  const start = preferred === undefined ? ownPlace(world, salt) : placeOf(preferred);
  for (let n = 0; n < TRIES; n++) {
    const address = addressBlock(prefixAt((start + n) % BLOCKS));
    const listener = await listenUnlessTaken(world, world.net, address);
    if (listener === "no such address") return leasePorts(world, start);
    if (listener !== "taken") return { address, net: world.net, release: () => listener.close() };
  }
  throw remoteError("LAB_ADDRESSES", {
    message: "Unable to find free loopback addresses for the lab",
    detail: `port ${LEASE_PORT} is taken on ${TRIES} blocks from ${prefixAt(start)}.0/24 on`,
    hint: `stop labs that are not needed, or the program that listens on port ${LEASE_PORT} of all addresses`,
  });
}

/** The first block that has ports; the others follow it. */
const PORTS_FROM = placeOf("127.80.1");

/** Leases the preferred block or another one, of the few for which there are ports. */
async function leasePorts(world: World, preferred: number): Promise<Lease> {
  const wanted = preferred - PORTS_FROM;
  const start = wanted >= 0 && wanted < PORT_BLOCKS ? wanted : 0;
  for (let n = 0; n < PORT_BLOCKS; n++) {
    const place = (start + n) % PORT_BLOCKS;
    const address = addressBlock(prefixAt(PORTS_FROM + place));
    const { net, redirects } = netOnPorts(world, address, place);
    const listener = await listenUnlessTaken(world, net, address);
    if (typeof listener !== "string") return { address, net, redirects, release: () => listener.close() };
  }
  throw remoteError("LAB_ADDRESSES", {
    message: "Unable to find free ports for the lab",
    detail: `this system has no loopback address besides 127.0.0.1, on which ${PORT_BLOCKS} labs can run at a time`,
    hint: "stop labs that are not needed",
  });
}

/** With redirects all connections come from one address, so a machine cannot tell its host from other clients. */
export function noPrivateNodes() {
  return userError("LAB_PRIVATE", {
    message: "Unable to make nodes private on this system",
    detail: "it has no loopback address besides 127.0.0.1, so the nodes cannot recognize connections through their hosts",
    hint: "start the lab without --private, or on Linux",
  });
}

async function listenUnlessTaken(world: World, net: Net, block: AddressBlock): Promise<Listener | "taken" | "no such address"> {
  try {
    return await net.serve({ host: block.host(1), port: LEASE_PORT }, (_, response) => {
      response.end(`${block.cidr} is leased by a talosmith lab, process ${world.processes.self().pid}\n`);
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") return "taken";
    if (code === "EADDRNOTAVAIL") return "no such address";
    throw remoteError("LAB_ADDRESSES", {
      message: `Unable to listen on the loopback addresses ${block.cidr}`,
      detail: messageOf(error),
      hint: "allow this program to listen on addresses of 127.0.0.0/8",
      cause: error,
    });
  }
}

function ownPlace(world: World, salt: string): number {
  const digest = createHash("sha256").update(`${world.processes.self().pid}/${salt}`).digest();
  return digest.readUInt32BE(0) % BLOCKS;
}

function prefixAt(place: number): string {
  return `127.${FIRST + Math.floor(place / THIRDS)}.${1 + (place % THIRDS)}`;
}

function placeOf(prefix: string): number {
  const [, second, third] = /^127\.(\d{1,3})\.(\d{1,3})$/.exec(prefix)?.map(Number) ?? [];
  const place = second === undefined || third === undefined ? -1 : (second - FIRST) * THIRDS + (third - 1);
  if (place < 0 || place >= BLOCKS || prefixAt(place) !== prefix) {
    throw userError("LAB_BLOCK", {
      message: `Unable to use ${prefix} as the lab's address block`,
      detail: "it must be the first three numbers of a block between 127.64.1 and 127.127.254",
      hint: "for instance 127.80.1",
    });
  }
  return place;
}
