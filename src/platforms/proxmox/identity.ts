import { createHash } from "node:crypto";

/** Ids people do not give out by hand, and that fit the columns of the Proxmox UI. */
const FIRST_VMID = 20_000;
const VMIDS = 70_000;

function digest(...parts: (string | number)[]): Buffer {
  return createHash("sha256").update(parts.join("\n")).digest();
}

/** The ids to try for something, always the same ones in the same order: two runs that race ask for the same id, and Proxmox gives it out once. */
export function* vmidsFor(...of: string[]): Generator<number> {
  for (let attempt = 0; attempt < 1000; attempt++) yield FIRST_VMID + (digest("vmid", ...of, attempt).readUInt32BE(0) % VMIDS);
}

/** Whom kept disks belong to: ids that no machine of ours ever takes. */
export function diskOwners(environment: string): number[] {
  const ids = vmidsFor(environment, "disks");
  return Array.from({ length: 8 }, () => ids.next().value as number);
}

/** A locally administered address that belongs to this card of this node of this environment and to nothing else. */
export function macFor(environment: string, node: string, card = 0): string {
  const bytes = [0x02, ...digest("mac", environment, node, ...(card === 0 ? [] : [card])).subarray(0, 5)];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
}
