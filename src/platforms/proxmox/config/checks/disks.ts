import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { isTalosName, sealed } from "../../../../config/checks/disks.ts";
import type { Report } from "../../../../config/report.ts";
import { diskName } from "../disk-names.ts";
import type { ProxmoxPool } from "../draft.ts";
import type { ProxmoxCheck } from "./check.ts";

type Disk = NonNullable<NonNullable<ProxmoxPool["settings"]["disks"]>[number]>;

/** Proxmox's disk slots, without the one of the system disk and one for the installation ISO. */
const SLOTS = { scsi: 29, virtio: 14 } as const;

/** Checks that data disks have unique names, by which they are found again. */
export const dataDisks: ProxmoxCheck = (facts, report) => {
  const { pools, draft } = facts;
  for (const pool of pools) {
    const { disks = [], controller } = pool.settings;
    const path = pool.origin("disks");
    if (disks.length > 0 && controller === "virtio" && draft.image?.method === "iso")
      report.problem(path, {
        message: `${pathName(path)} with controller virtio cannot be distinguished from the system disk while Talos installs itself`,
        hint: "use another controller, or image.method: import",
        on: "key",
      });
    const most = SLOTS[controller === "virtio" ? "virtio" : "scsi"];
    if (disks.length > most)
      report.problem(path, {
        message: `${pathName(path)} has more than ${most} disks`,
        hint: `a machine can have ${most} beside its system disk${controller === "virtio" ? " with controller virtio" : ""}`,
        on: "key",
      });
    for (const [index, disk] of disks.entries()) {
      if (disk === undefined) continue;
      const at = [...path, index];
      ownName(disk, disks, index, path, report);
      if (disk.volume !== undefined) volume(disk.volume, pool, [...at, "volume"], report);
      inVain(disk, at, report);
      sealed([...at, "encryption"], disk.encryption, pool, facts, report);
    }
  }
};

function ownName(disk: Disk, disks: readonly (Disk | undefined)[], index: number, path: Path, report: Report): void {
  const before = disks.slice(0, index);
  const twin = before.findIndex((other, at) => other !== undefined && diskName(other, at) === diskName(disk, index));
  const sharing = before.findIndex((other) => disk.volume !== undefined && other?.volume === disk.volume);
  const other = twin === -1 ? sharing : twin;
  if (other === -1) return;
  const key = twin === -1 || disk.name === undefined ? "volume" : "name";
  report.problem([...path, index, key], {
    message: `${pathName([...path, index])} has the ${key} of ${pathName([...path, other])}`,
    hint: "give one of the two another",
    remark: "used twice",
  });
}

function volume(name: string, { everywhere }: ProxmoxPool, at: Path, report: Report): void {
  if (isTalosName(name))
    report.problem(at, {
      message: `${pathName(at)} is a name that Talos uses itself`,
      hint: "choose another",
    });
  for (const { path, value } of everywhere("volumes"))
    for (const [index, other] of value.entries())
      if (other?.name === name)
        report.problem(at, {
          message: `${pathName(at)} is the name of ${pathName([...path, index])} (${report.line([...path, index])})`,
          hint: "remove that one: a data disk's volume takes the whole disk by itself; or give one of the two another name",
          remark: "used twice",
        });
}

function inVain(disk: Disk, at: Path, report: Report): void {
  for (const key of ["raw", "filesystem", "encryption"] as const)
    if (disk[key] !== undefined && !report.has([...at, "volume"]))
      report.problem([...at, key], {
        message: `${pathName([...at, key])} has no effect without volume`,
        hint: `add volume: NAME, or remove ${key}: Talos does not use a disk without volume`,
        on: "key",
      });
  if (disk.raw === true && disk.filesystem !== undefined)
    report.problem([...at, "filesystem"], {
      message: `${pathName([...at, "filesystem"])} is set, but a raw volume has no file system`,
      hint: "remove it, or raw",
      on: "key",
    });
  if (disk.keep === true && !report.has([...at, "volume"]) && !report.has([...at, "name"]))
    report.problem([...at, "keep"], {
      message: `${pathName(at)} is kept, but has no name by which it can be found again`,
      hint: "add volume: NAME, or name: NAME for a disk without a volume",
      on: "key",
    });
}
