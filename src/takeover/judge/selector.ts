import type { DiskSelector } from "../../config/config.ts";
import type { SurveyedDisk } from "../survey.ts";

/** Whether a selector matches a disk, by Talos's rules. */
export function fits(selector: DiskSelector, disk: SurveyedDisk): boolean {
  const { size, serial, model, wwid, busPath, type } = selector;
  return (
    (size === undefined || hasSize(size, disk.bytes)) &&
    matches(serial, disk.serial, disk.otherSerial) &&
    matches(model, disk.model) &&
    matches(wwid, disk.wwid) &&
    matches(busPath, disk.busPath) &&
    (type === undefined || TYPES[type](disk))
  );
}

const TYPES: Record<NonNullable<DiskSelector["type"]>, (disk: SurveyedDisk) => boolean> = {
  nvme: (disk) => disk.transport === "nvme",
  sd: (disk) => disk.transport === "mmc",
  hdd: (disk) => disk.rotational,
  ssd: (disk) => !disk.rotational,
};

/** Whether a pattern matches one of the texts; an asterisk matches any text. */
function matches(pattern: string | undefined, ...texts: readonly (string | undefined)[]): boolean {
  if (pattern === undefined) return true;
  return texts.some((text) => text !== undefined && isLike(pattern.split("*"), text));
}

/** `parts`: the texts between the asterisks. */
function isLike(parts: readonly string[], text: string): boolean {
  const [start = "", ...rest] = parts;
  const end = rest.at(-1);
  if (end === undefined) return text === start;
  if (!text.startsWith(start)) return false;
  let at = start.length;
  for (const part of rest.slice(0, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}

const SIZE = /^(>=|<=|==|>|<)?\s*(\d+(?:\.\d+)?)\s*([kmgtpe]?)(i?)b?$/i;
const STEPS = ["", "k", "m", "g", "t", "p", "e"];

function hasSize(size: string, bytes: number): boolean {
  const [, operator = "==", count = "", step = "", binary = ""] = SIZE.exec(size.trim()) ?? [];
  if (count === "") return false;
  const wanted = Math.trunc(Number(count) * (binary === "" ? 1000 : 1024) ** STEPS.indexOf(step.toLowerCase()));
  if (operator === ">=") return bytes >= wanted;
  if (operator === "<=") return bytes <= wanted;
  if (operator === ">") return bytes > wanted;
  return operator === "<" ? bytes < wanted : bytes === wanted;
}
