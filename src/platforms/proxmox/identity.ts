import { createHash } from "node:crypto";

/** The first derived id: above the ids that administrators usually choose, and short enough for the columns of the Proxmox UI. */
const FIRST_VMID = 20_000;
const VMIDS = 70_000;

function digest(...parts: (string | number)[]): Buffer {
  return createHash("sha256").update(parts.join("\n")).digest();
}

/** The ids to try for an object, always in the same order: two concurrent runs request the same id, and Proxmox assigns it only once. */
export function* vmidsFor(...of: string[]): Generator<number> {
  for (let attempt = 0; attempt < 1000; attempt++) yield FIRST_VMID + (digest("vmid", ...of, attempt).readUInt32BE(0) % VMIDS);
}

/** The ids that own kept disks, never used for machines. */
export function diskOwners(environment: string): number[] {
  const ids = vmidsFor(environment, "disks");
  return Array.from({ length: 8 }, () => ids.next().value as number);
}

/** Derives the MAC of a network card: locally administered, and unique by environment, node and card. */
export function macFor(environment: string, node: string, card = 0): string {
  const bytes = [0x02, ...digest("mac", environment, node, ...(card === 0 ? [] : [card])).subarray(0, 5)];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
}
