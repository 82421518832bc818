import { createHash } from "node:crypto";
import { messageOf, remoteError, userError } from "@talosmith/lib/errors.ts";
import type { Listener, World } from "@talosmith/lib/world/world.ts";
import type { AddressBlock } from "./kernel.ts";

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
  release(): Promise<void>;
}

export function addressBlock(prefix: string): AddressBlock {
  return { prefix, cidr: `${prefix}.0/24`, host: (last) => `${prefix}.${last}` };
}

/** Leases the first free block, starting at the preferred one or, by default, at a position derived from this process. */
export async function leaseAddresses(world: World, salt: string, preferred?: string): Promise<Lease> {
  const start = preferred === undefined ? ownPlace(world, salt) : placeOf(preferred);
  for (let n = 0; n < TRIES; n++) {
    const block = addressBlock(prefixAt((start + n) % BLOCKS));
    const listener = await listenUnlessTaken(world, block);
    if (listener) return { address: block, release: () => listener.close() };
  }
  throw remoteError("LAB_ADDRESSES", {
    message: "Unable to find free loopback addresses for the lab",
    detail: `port ${LEASE_PORT} is taken on ${TRIES} blocks from ${prefixAt(start)}.0/24 on`,
    hint: `stop labs that are not needed, or the program that listens on port ${LEASE_PORT} of all addresses`,
  });
}

async function listenUnlessTaken(world: World, block: AddressBlock): Promise<Listener | undefined> {
  try {
    return await world.net.serve({ host: block.host(1), port: LEASE_PORT }, (_, response) => {
      response.end(`${block.cidr} is leased by a talosmith lab, process ${world.processes.self().pid}\n`);
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") return undefined;
    throw remoteError("LAB_ADDRESSES", {
      message: `Unable to listen on the loopback addresses ${block.cidr}`,
      detail: messageOf(error),
      hint: "the lab needs a system where all of 127.0.0.0/8 is local, such as Linux",
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
