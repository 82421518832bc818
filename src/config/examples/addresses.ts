import { after, formatIp, type Ip, isUsable, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";

export interface Addresses {
  gateway: string;
  endpoint: string;
  /** The addresses of the first control plane and of the first worker. */
  controlPlane: string;
  worker: string;
}

/** Places for endpoint, control planes and workers, from the start of the network; the last is for small ones. */
const PLACES: readonly (readonly [endpoint: number, controlPlane: number, worker: number])[] = [
  [5, 11, 21],
  [50, 51, 61],
  [150, 151, 161],
];

/** Free addresses of a network for an example; undefined when there is no room. The gateway is the first unless given. */
export function suggestAddresses(
  network: string,
  counts: { controlPlanes: number; workers: number },
  given?: string,
): Addresses | undefined {
  const room = parseNetwork(network);
  if (room === undefined) return undefined;
  const own: Ip = { family: room.family, value: room.first };
  const gateway = given === undefined ? after(own, 1) : parseIp(given);
  if (gateway === undefined) return undefined;
  const tight = [2, 3, 3 + counts.controlPlanes] as const;
  const behind = [3, 4, 4 + counts.controlPlanes] as const;
  for (const places of [...PLACES, tight, behind]) {
    const [endpoint, controlPlane, worker] = places.map((offset) => after(own, offset)) as [Ip, Ip, Ip];
    const taken = [endpoint, ...span(controlPlane, counts.controlPlanes), ...span(worker, counts.workers)];
    const values = new Set([gateway, ...taken].map(({ value }) => value));
    if (values.size === taken.length + 1 && taken.every((address) => isUsable(room, address)))
      return {
        gateway: formatIp(gateway),
        endpoint: formatIp(endpoint),
        controlPlane: formatIp(controlPlane),
        worker: formatIp(worker),
      };
  }
  return undefined;
}

function span(first: Ip, count: number): Ip[] {
  return Array.from({ length: count }, (_, offset) => after(first, offset));
}
