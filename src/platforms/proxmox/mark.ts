import { parseJson } from "@talosmith/lib/json.ts";
import type { Role } from "../../config/config.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";

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
  /** What decides how Talos was installed on it, when it was made otherwise than with SeaBIOS, SCSI disks and without Secure Boot. */
  firmware?: ProxmoxNodeConfig["firmware"];
  bus?: "virtio";
  secureboot?: true;
  /** The serial numbers of the data disks that we made for it; absent in marks of versions that did not write it down. */
  disks?: readonly string[];
  /** Its cluster's etcd was bootstrapped while this control plane was part of it. Never taken back. */
  bootstrapped?: true;
}

const PREFIX = "talosmith:";
const SENTENCE =
  "Made by talosmith. It goes with `talosmith down`; notes above this line or below the next one are yours to keep.";

export function printMark(mark: Mark, notes = ""): string {
  return [SENTENCE, "", ...(notes === "" ? [] : [notes, ""]), `${PREFIX} ${JSON.stringify(mark)}`].join("\n");
}

/** The description with another mark in it, and everything people wrote around it. */
export function replaceMark(description: string, mark: Mark): string {
  const lines = description.split("\n").map((line) => (line.startsWith(PREFIX) ? `${PREFIX} ${JSON.stringify(mark)}` : line));
  return lines.join("\n");
}

/** The notes of the config stand between our sentence and the mark. */
interface Parts {
  before: string[];
  notes: string;
  /** From the mark on. */
  after: string[];
}

function partsOf(description: string): Parts {
  const lines = description.replaceAll("\r\n", "\n").split("\n");
  const mark = lines.findIndex((line) => line.startsWith(PREFIX));
  const end = mark === -1 ? lines.length : mark;
  const sentence = lines.slice(0, end).indexOf(SENTENCE);
  // Without the sentence nobody can tell whose the text is, so it is the person's.
  if (sentence === -1) return { before: lines.slice(0, end), notes: "", after: lines.slice(end) };
  return {
    before: lines.slice(0, sentence),
    notes: lines
      .slice(sentence + 1, end)
      .join("\n")
      .trim(),
    after: lines.slice(end),
  };
}

export function notesIn(description: string | undefined): string {
  return partsOf(description ?? "").notes;
}

export function withNotes(description: string, notes: string): string {
  const { before, after } = partsOf(description);
  return [...before, SENTENCE, "", ...(notes === "" ? [] : [notes, ""]), ...after].join("\n");
}

/** Only the line with the mark counts; people may write around it. */
export function readMark(description: string | undefined): Mark | undefined {
  for (const line of (description ?? "").split("\n")) {
    if (!line.startsWith(PREFIX)) continue;
    try {
      const mark: unknown = parseJson(line.slice(PREFIX.length));
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

/** Undefined when the mark does not say, or was damaged by hand. */
export function disksMade({ disks }: Mark): readonly string[] | undefined {
  return Array.isArray(disks) ? disks : undefined;
}

export const TAG = "talosmith";
