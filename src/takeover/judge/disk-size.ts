import type { TalosmithError } from "@talosmith/lib/errors.ts";
import type { SurveyedDisk } from "../survey.ts";
import { nameDisk, sizeOf } from "./describe.ts";
import { refusal, type TakeoverWish } from "./wish.ts";

/** Talos's minimum for its system disk. */
export const LEAST_BYTES = 10 * 1024 ** 3;

/** The sector size of Talos images: firmware and Talos look for the partition table by it. */
const SECTOR = 512;

/** Checks that the disk can hold the image. */
export function diskTakesImage(disk: SurveyedDisk, wish: TakeoverWish): TalosmithError[] {
  const path = ["nodes", wish.name, "installDisk"];
  const problems: TalosmithError[] = [];
  if (disk.readonly)
    problems.push(
      refusal("DISK_READONLY", wish, {
        message: `Unable to overwrite ${disk.path} of ${wish.name}: it is read-only`,
        facts: [nameDisk(disk)],
        hint: `choose another disk with installDisk, or find out why (blockdev --getro ${disk.path})`,
        path,
      }),
    );
  const needed = Math.max(LEAST_BYTES, wish.imageBytes ?? LEAST_BYTES);
  if (disk.bytes < needed)
    problems.push(
      refusal("DISK_TOO_SMALL", wish, {
        message: `Unable to overwrite ${disk.path} of ${wish.name}: it has ${sizeOf(disk.bytes)}, ${sizeOf(needed)} are needed`,
        facts: [
          nameDisk(disk),
          needed > LEAST_BYTES
            ? `the image is ${sizeOf(needed)} large`
            : "Talos asks for 10 GiB and puts all container images there",
        ],
        hint: "choose a larger disk with installDisk, or rent a larger server",
        path,
      }),
    );
  const { sectorBytes = SECTOR } = disk;
  if (sectorBytes !== SECTOR)
    problems.push(
      refusal("DISK_SECTORS", wish, {
        message: `Unable to start from ${disk.path} of ${wish.name}: its sectors have ${sectorBytes} bytes`,
        facts: [nameDisk(disk), `the images of Talos are made for sectors of ${SECTOR} bytes`],
        hint: "choose another disk with installDisk, or format it to 512 bytes (nvme format, or its controller's settings)",
        path,
      }),
    );
  return problems;
}
