import type { TalosmithError } from "@talosmith/lib/errors.ts";
import type { SurveyedDisk } from "../survey.ts";
import { nameDisk } from "./describe.ts";
import { refusal, type TakeoverWish } from "./wish.ts";

/** Checks that the disk is not in use and that no other disk needs it. Talosmith never unmounts or stops anything itself. */
export function diskIsFree(disk: SurveyedDisk, wish: TakeoverWish): TalosmithError[] {
  return [...inUse(disk, wish), ...member(disk, wish)];
}

function inUse(disk: SurveyedDisk, wish: TakeoverWish): TalosmithError[] {
  if (disk.inUse.length === 0) return [];
  const isMounted = (disk.mountpoints ?? []).length > 0;
  const commands = disk.release ?? [];
  const end = commands.length > 0 ? `as root on ${wish.address}:  ${commands.join(" && ")}` : "stop what uses it";
  return [
    refusal(isMounted ? "DISK_MOUNTED" : "DISK_IN_USE", wish, {
      message: `Unable to overwrite ${disk.path} of ${wish.name}: it is ${isMounted ? "mounted" : "in use"}`,
      facts: [nameDisk(disk), ...disk.inUse],
      hint: `${end}; then run the same command again. Check that it is the right disk.`,
    }),
  ];
}

function member(disk: SurveyedDisk, wish: TakeoverWish): TalosmithError[] {
  if (disk.members.length === 0 || wish.eraseMembers) return [];
  return [
    refusal("DISK_MEMBER", wish, {
      message: `Unable to overwrite ${disk.path} of ${wish.name}: it is part of something that other disks may need`,
      facts: [nameDisk(disk), ...disk.members.map((one) => `it belongs to ${one}`)],
      hint: `if all of that may be lost, write eraseMembers: true for ${wish.name}; otherwise choose another disk with installDisk`,
      path: ["nodes", wish.name, "installDisk"],
    }),
  ];
}
