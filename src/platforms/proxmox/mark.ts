import { parseJson } from "@talosmith/lib/json.ts";
import type { Role } from "../../config/config.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";

/** The mark of a VM: its environment, cluster and node. The creating call writes it into the description, so every VM that talosmith creates is marked. */
export interface Mark {
  environment: string;
  cluster: string;
  node: string;
  /** The VM's id. A copy of the VM keeps the text but not the id, which shows that it is a copy. */
  vm: number;
  role: Role;
  /** The address it was created with; a different one in the config replaces the machine. */
  address: string;
  /** The settings that Talos was installed with; absent for the defaults: SeaBIOS, SCSI disks, no Secure Boot. */
  firmware?: ProxmoxNodeConfig["firmware"];
  bus?: "virtio";
  secureboot?: true;
  /** The serial numbers of the data disks that talosmith created for it; absent in marks of old versions. */
  disks?: readonly string[];
  /** The cluster's etcd was bootstrapped while this control plane was part of it. Never removed. */
  bootstrapped?: true;
}

const PREFIX = "talosmith:";
const SENTENCE =
  "Made by talosmith. It goes with `talosmith down`; notes above this line or below the next one are yours to keep.";

export function printMark(mark: Mark, notes = ""): string {
  return [SENTENCE, "", ...(notes === "" ? [] : [notes, ""]), `${PREFIX} ${JSON.stringify(mark)}`].join("\n");
}

/** Replaces the mark in a description and keeps the text around it. */
export function replaceMark(description: string, mark: Mark): string {
  const lines = description.split("\n").map((line) => (line.startsWith(PREFIX) ? `${PREFIX} ${JSON.stringify(mark)}` : line));
  return lines.join("\n");
}

/** The parts of a description: the notes of the config are between talosmith's sentence and the mark. */
interface Parts {
  before: string[];
  notes: string;
  /** The text from the mark on. */
  after: string[];
}

function partsOf(description: string): Parts {
  const lines = description.replaceAll("\r\n", "\n").split("\n");
  const mark = lines.findIndex((line) => line.startsWith(PREFIX));
  const end = mark === -1 ? lines.length : mark;
  const sentence = lines.slice(0, end).indexOf(SENTENCE);
  // Without the sentence the origin of the text is unknown, so it counts as the user's.
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

/** Reads the line with the mark; other text is ignored. */
export function readMark(description: string | undefined): Mark | undefined {
  for (const line of (description ?? "").split("\n")) {
    if (!line.startsWith(PREFIX)) continue;
    try {
      const mark: unknown = parseJson(line.slice(PREFIX.length));
      if (isMark(mark)) return mark;
    } catch {
      // A damaged mark counts as none.
    }
  }
  return undefined;
}

function isMark(value: unknown): value is Mark {
  if (typeof value !== "object" || value === null) return false;
  const { environment, cluster, node, vm, role, address } = value as Record<string, unknown>;
  return [environment, cluster, node, role, address].every((text) => typeof text === "string") && Number.isSafeInteger(vm);
}

/** The serial numbers in the mark; undefined when it has none, or is damaged. */
export function disksMade({ disks }: Mark): readonly string[] | undefined {
  return Array.isArray(disks) ? disks : undefined;
}

export const TAG = "talosmith";
