import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Finding } from "../../engine/step.ts";
import type { Survey, SurveyedCard, SurveyedDisk } from "../survey.ts";
import { chooseCard, hasAddress } from "./card.ts";
import { chooseDisk, isNamed } from "./choose-disk.ts";
import { sizeOf } from "./describe.ts";
import { diskTakesImage } from "./disk-size.ts";
import { diskIsFree } from "./disk-use.ts";
import { machineStartsImage } from "./machine.ts";
import { isMadeUpSerial } from "./made-up-serial.ts";
import { weAreLetIn } from "./own-address.ts";
import { isRescueSystem } from "./rescue-system.ts";
import type { TakeoverWish } from "./wish.ts";

export type Judged = (Fit | Unfit) & {
  /** Findings that do not prevent the takeover. */
  readonly notes: readonly Finding[];
};

export interface Fit {
  readonly is: "fit";
  readonly disk: SurveyedDisk;
  /** The card for the node's address; absent when it need not be known. */
  readonly card?: SurveyedCard;
  /** Whether the config names the disk by its serial or wwid, which permits overwriting data on it. */
  readonly named: boolean;
}

export interface Unfit {
  readonly is: "unfit";
  /** All problems at once. */
  readonly problems: readonly TalosmithError[];
}

/** Decides whether a server may be overwritten as the config asks. */
export function judge(survey: Survey, wish: TakeoverWish): Judged {
  const chosen = chooseDisk(survey, wish);
  const disk = chosen instanceof TalosmithError ? undefined : chosen;
  const named = isNamed(wish.installDisk);
  const { card, problems: cardProblems } = chooseCard(survey, wish);
  const notRescue = isRescueSystem(survey, disk, named, wish);
  const problems = [
    ...notRescue,
    ...(chosen instanceof TalosmithError ? [chosen] : []),
    // The disk of a running system is mounted too, but unmounting it would not help.
    ...(disk === undefined || notRescue.length > 0 ? [] : diskIsFree(disk, wish)),
    ...(disk === undefined ? [] : diskTakesImage(disk, wish)),
    ...machineStartsImage(survey, wish),
    ...cardProblems,
    ...weAreLetIn(survey, wish),
  ];
  const notes = notesOn(survey, disk, wish);
  if (disk === undefined || problems.length > 0) return { is: "unfit", problems, notes };
  return { is: "fit", disk, ...(card !== undefined && { card }), named, notes };
}

/** The MemTotal of a machine with 2 GiB, Talos's own minimum for a control plane: the kernel reserves up to a tenth, which MemTotal does not include. */
const LEAST_MEMORY = 1843 * 1024 ** 2;

function notesOn(survey: Survey, disk: SurveyedDisk | undefined, wish: TakeoverWish): Finding[] {
  const { memoryBytes, network, disks, rootDisk, secureBoot } = survey;
  const notes: Finding[] = [];
  const note = (level: "ok" | "warn", code: string, message: string, hint: string) => notes.push({ level, code, message, hint });
  // Without ip and ifconfig the addresses are unknown.
  const hasAny = network.cards.some((card) => card.addresses.length > 0);
  if (hasAny && !network.cards.some((card) => hasAddress(card, wish.address)))
    note(
      "warn",
      "WRONG_SERVER",
      `no network card of ${wish.name} has ${wish.address} now`,
      "check that it is the right server; this is normal if its provider uses NAT",
    );
  if (memoryBytes !== undefined && memoryBytes < LEAST_MEMORY)
    note(
      "warn",
      "LITTLE_MEMORY",
      `${wish.name} has ${sizeOf(memoryBytes)} of memory`,
      "Talos asks for 2 GiB on a control plane and 1 GiB on a worker",
    );
  const serial = typeof wish.installDisk === "object" ? wish.installDisk.serial : undefined;
  if (serial !== undefined && isMadeUpSerial(serial))
    note(
      "warn",
      "COMMON_SERIAL",
      `the serial ${serial} in installDisk of ${wish.name} does not identify the server`,
      "QEMU gives this serial to every disk by default: check that the address is right",
    );
  if (disk?.removable)
    note(
      "warn",
      "REMOVABLE_DISK",
      `${disk.path} of ${wish.name} reports that it is removable`,
      "check that it is the right disk",
    );
  if (disk !== undefined && disks.some(({ name }) => name === rootDisk))
    note("ok", "RESCUE_DISK", `the rescue system of ${wish.name} runs from ${rootDisk}`, "that disk is left as it is");
  if (wish.secureboot && !secureBoot)
    note("warn", "SECURE_BOOT_OFF", `Secure Boot is off on ${wish.name}`, "switch it on once Talos has enrolled its keys");
  return notes;
}
