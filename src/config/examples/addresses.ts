import { formatIpv4, isUsable, parseCidr, parseIpv4 } from "../../lib/cidr.ts";

export interface Addresses {
  gateway: string;
  endpoint: string;
  /** Of the first of each. */
  controlPlane: string;
  worker: string;
}

/** Places for endpoint, control planes and workers, from the start of the network; the last is for small ones. */
const PLACES: readonly (readonly [endpoint: number, controlPlane: number, worker: number])[] = [
  [5, 11, 21],
  [50, 51, 61],
  [150, 151, 161],
];

/** Addresses of a network that get in nobody's way; undefined when there is no room. The gateway is the first unless given. */
export function suggestAddresses(
  network: string,
  counts: { controlPlanes: number; workers: number },
  given?: string,
): Addresses | undefined {
  const cidr = parseCidr(network);
  const gateway = given === undefined ? (cidr?.network ?? 0) + 1 : parseIpv4(given);
  if (cidr === undefined || gateway === undefined) return undefined;
  const tight = [2, 3, 3 + counts.controlPlanes] as const;
  const behind = [3, 4, 4 + counts.controlPlanes] as const;
  for (const places of [...PLACES, tight, behind]) {
    const [endpoint, controlPlane, worker] = places.map((offset) => cidr.network + offset) as [number, number, number];
    const taken = [endpoint, ...span(controlPlane, counts.controlPlanes), ...span(worker, counts.workers)];
    if (new Set([gateway, ...taken]).size === taken.length + 1 && taken.every((address) => isUsable(cidr, address)))
      return {
        gateway: formatIpv4(gateway),
        endpoint: formatIpv4(endpoint),
        controlPlane: formatIpv4(controlPlane),
        worker: formatIpv4(worker),
      };
  }
  return undefined;
}

function span(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, offset) => first + offset);
}
