import type { TalosmithError } from "@talosmith/lib/errors.ts";
import type { DiskSelector } from "../../config/config.ts";
import type { Survey, SurveyedDisk } from "../survey.ts";
import { listDisks } from "./describe.ts";
import { LEAST_BYTES } from "./disk-size.ts";
import { fits } from "./selector.ts";
import { refusal, type TakeoverWish } from "./wish.ts";

/** Chooses the disk to overwrite; an error unless exactly one matches. */
export function chooseDisk(survey: Survey, wish: TakeoverWish): SurveyedDisk | TalosmithError {
  const { installDisk } = wish;
  if (installDisk === undefined) return onlyDisk(survey, wish);
  const matching = survey.disks.filter((disk) =>
    typeof installDisk === "string" ? isAt(disk, installDisk) : fits(installDisk, disk),
  );
  // The disk of the rescue system itself is chosen only when no other one matches.
  const others = matching.filter((disk) => disk.name !== survey.rootDisk);
  const [disk, ...more] = others.length > 0 ? others : matching;
  if (disk === undefined) return missing(survey, wish, installDisk);
  return more.length === 0 ? disk : ambiguous(survey, wish, `match ${said(installDisk)}`, disk, more);
}

/** Whether the config identifies one specific disk, not only a kind of disk or a device name that may change. */
export function isNamed(installDisk: string | DiskSelector | undefined): boolean {
  if (typeof installDisk !== "object") return false;
  return [installDisk.serial, installDisk.wwid].some((mark) => mark !== undefined && !mark.includes("*"));
}

function isAt(disk: SurveyedDisk, path: string): boolean {
  return disk.path === path || (disk.links ?? []).includes(path);
}

function onlyDisk(survey: Survey, wish: TakeoverWish): SurveyedDisk | TalosmithError {
  const others = survey.disks.filter((disk) => disk.name !== survey.rootDisk);
  const eligible = others.filter((disk) => !disk.readonly && !disk.removable && disk.bytes >= LEAST_BYTES);
  // A single unsuitable disk, or the rescue system's own, is returned too, so that its problems are reported.
  const [disk, ...more] = [eligible, others, survey.disks].find((list) => list.length > 0) ?? [];
  if (disk === undefined) return missing(survey, wish, undefined);
  return more.length === 0 ? disk : ambiguous(survey, wish, "are possible", disk, more);
}

function ambiguous(
  survey: Survey,
  wish: TakeoverWish,
  why: string,
  first: SurveyedDisk,
  more: readonly SurveyedDisk[],
): TalosmithError {
  const disks = [first, ...more];
  const example = disks.find((disk) => disk.serial !== undefined || disk.wwid !== undefined) ?? first;
  return refusal("AMBIGUOUS_DISK", wish, {
    message: `Unable to choose the disk of ${wish.name}: ${disks.length} disks ${why}`,
    facts: listDisks(survey),
    hint: `choose one:  installDisk: ${selectorOf(example)}`,
    path: ["nodes", wish.name, "installDisk"],
  });
}

function missing(survey: Survey, wish: TakeoverWish, installDisk: TakeoverWish["installDisk"]): TalosmithError {
  const bySerial = typeof installDisk === "object" && (installDisk.serial !== undefined || installDisk.wwid !== undefined);
  const which = installDisk === undefined ? "it has none" : `none is ${said(installDisk)}`;
  return refusal(bySerial ? "DISK_SERIAL" : "NO_SUCH_DISK", wish, {
    message: `Unable to find the disk of ${wish.name}: ${which}`,
    facts: listDisks(survey),
    hint: bySerial
      ? "check that this is the right server; if it is, correct installDisk"
      : "correct installDisk; prefer the serial, since device names differ between systems",
    path: ["nodes", wish.name, "installDisk"],
  });
}

/** The selector of a disk as it is written in the config. */
export function selectorOf({ serial, wwid, path }: SurveyedDisk): string {
  if (serial !== undefined) return `{ serial: ${JSON.stringify(serial)} }`;
  return wwid === undefined ? path : `{ wwid: ${JSON.stringify(wwid)} }`;
}

function said(installDisk: string | DiskSelector): string {
  if (typeof installDisk === "string") return installDisk;
  return Object.entries(installDisk)
    .map(([key, value]) => `${key} ${value}`)
    .join(", ");
}
