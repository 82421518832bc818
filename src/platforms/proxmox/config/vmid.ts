import type { ProxmoxPool } from "./draft.ts";

/** The id that the file gives to one of a pool's nodes: with count they go up from the first. */
export function vmidOf({ own: { vmid } }: ProxmoxPool, offset: number): number | undefined {
  return vmid === undefined ? undefined : vmid + offset;
}
