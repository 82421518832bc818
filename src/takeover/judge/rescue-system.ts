import type { TalosmithError } from "@talosmith/lib/errors.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import type { Survey, SurveyedDisk } from "../survey.ts";
import { nameDisk } from "./describe.ts";
import { refusal, type TakeoverWish } from "./wish.ts";

/** Root file systems in memory or on the network, which are typical of rescue systems. */
const NOT_ON_A_DISK = new Set(
  "overlay overlayfs aufs unionfs tmpfs ramfs rootfs squashfs erofs cramfs iso9660 nfs nfs4 9p virtiofs".split(" "),
);

/**
 * Checks that the server runs a rescue system, which does not run from the server's disks. Some rescue systems bring a disk of their own; they are
 * accepted when their hostname says so, or when the config names the disk to overwrite by its serial.
 */
export function isRescueSystem(
  survey: Survey,
  disk: SurveyedDisk | undefined,
  named: boolean,
  wish: TakeoverWish,
): TalosmithError[] {
  const { rootDisk, rootFilesystem, hostname, cmdline } = survey;
  const root = survey.disks.find(({ name }) => name === rootDisk);
  const runsFrom = `${rootFilesystem} on ${root === undefined ? (rootDisk ?? "something unknown") : nameDisk(root)}`;
  const refuse = () => [
    refusal("NOT_A_RESCUE_SYSTEM", wish, {
      message: `Unable to take over ${wish.name}: ${wish.address} does not run a rescue system`,
      facts: [`its root is ${runsFrom}`, `its hostname is ${hostname || "empty"}`],
      hint: `restart it into its provider's rescue system (${ownCommand("doctor", typedEnvironment())} prints the steps), then run the same command again`,
    }),
  ];
  if (disk !== undefined && (disk.name === rootDisk || (disk.mountpoints ?? []).includes("/"))) return refuse();
  if (root !== undefined) return named || /rescue/i.test(`${hostname} ${cmdline}`) ? [] : refuse();
  return rootDisk !== undefined || NOT_ON_A_DISK.has(rootFilesystem) ? [] : refuse();
}
