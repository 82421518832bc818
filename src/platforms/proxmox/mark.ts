import type { Role } from "../../config/config.ts";

/** Who made a VM and what for. Written into its description by the very call that creates it, so nothing of ours is ever unmarked. */
export interface Mark {
  environment: string;
  cluster: string;
  node: string;
  /** A copy of the VM keeps the text but not the id: that tells it apart from ours. */
  vm: number;
  role: Role;
  /** The address it was made with; another one in the config means another machine. */
  address: string;
  /** Its cluster's etcd was bootstrapped while this control plane was part of it. Never taken back. */
  bootstrapped?: true;
}

const PREFIX = "talosmith:";
const SENTENCE = "Made by talosmith. It goes with `talosmith down`; notes above or below the next line are yours to keep.";

export function printMark(mark: Mark): string {
  return `${SENTENCE}\n\n${PREFIX} ${JSON.stringify(mark)}`;
}

/** The description with another mark in it, and everything people wrote around it. */
export function replaceMark(description: string, mark: Mark): string {
  const lines = description.split("\n").map((line) => (line.startsWith(PREFIX) ? `${PREFIX} ${JSON.stringify(mark)}` : line));
  return lines.join("\n");
}

/** Only the line with the mark counts; people may write around it. */
export function readMark(description: string | undefined): Mark | undefined {
  for (const line of (description ?? "").split("\n")) {
    if (!line.startsWith(PREFIX)) continue;
    try {
      const mark: unknown = JSON.parse(line.slice(PREFIX.length));
      if (isMark(mark)) return mark;
    } catch {
      // Damaged by hand: then it is no mark.
    }
  }
  return undefined;
}

function isMark(value: unknown): value is Mark {
  if (typeof value !== "object" || value === null) return false;
  const { environment, cluster, node, vm, role, address } = value as Record<string, unknown>;
  return [environment, cluster, node, role, address].every((text) => typeof text === "string") && Number.isSafeInteger(vm);
}

export const TAG = "talosmith";
