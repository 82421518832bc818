import { formatMiB, parseSize } from "@talosmith/lib/units.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Report } from "../../../../config/report.ts";
import { DEFAULT_CONTROLLER, DEFAULT_SIZES } from "../defaults.ts";
import type { ProxmoxFacts, ProxmoxPool } from "../draft.ts";
import type { ProxmoxCheck } from "./check.ts";

/** Checks combinations of hardware settings that Proxmox would refuse only when it starts the machine. */
export const virtualMachines: ProxmoxCheck = (facts, report) => {
  for (const pool of facts.pools) {
    controller(pool, report);
    firmware(pool, facts, report);
    memory(pool, report);
    serials(pool, report);
    const { display, serial } = pool.settings;
    if (display === "serial0" && serial === false)
      report.problem(pool.origin("display"), {
        message: `${pathName(pool.origin("display"))} is the serial console, but serial is false`,
        hint: "remove serial: false, or choose another display",
      });
  }
};

type Flags = ProxmoxPool["settings"]["diskFlags"];

function controller({ settings, origin }: ProxmoxPool, report: Report): void {
  const kind = settings.controller ?? DEFAULT_CONTROLLER;
  if (kind === "virtio-scsi-single")
    report.warn(origin("controller"), {
      message: `${pathName(origin("controller"))} is virtio-scsi-single, with which Talos has been seen to hang at startup`,
      hint: "remove it to use virtio-scsi-pci, or use virtio for one thread per disk",
    });
  const written: [Path, Flags][] = [
    [origin("diskFlags"), settings.diskFlags],
    ...(settings.disks ?? []).map((disk, index): [Path, Flags] => [[...origin("disks"), index, "flags"], disk?.flags]),
  ];
  for (const [path, flags] of written) {
    if (flags?.ssd === true && kind === "virtio")
      report.problem([...path, "ssd"], {
        message: `${pathName([...path, "ssd"])} is for SCSI disks, but the controller is virtio (${report.line(origin("controller"))})`,
        hint: "remove it, or set controller: virtio-scsi-pci",
        on: "key",
      });
    if (flags?.iothread === true && kind === "virtio-scsi-pci")
      report.problem([...path, "iothread"], {
        message: `${pathName([...path, "iothread"])} needs one controller per disk, but virtio-scsi-pci is shared by all disks`,
        hint: "set controller: virtio, or virtio-scsi-single; or remove iothread",
        on: "key",
      });
  }
}

function firmware({ settings, origin }: ProxmoxPool, { draft }: ProxmoxFacts, report: Report): void {
  if (settings.pci !== undefined && settings.pci.length > 0 && /^(i440fx|pc|pc-i440fx-.*)$/.test(settings.machine ?? ""))
    report.problem(origin("pci"), {
      message: `${pathName(origin("pci"))} needs PCI Express, which machine ${settings.machine} (${report.line(origin("machine"))}) does not have`,
      hint: "remove machine to use q35",
      on: "key",
    });
  if (draft.image?.secureboot === true && settings.firmware === "seabios")
    report.problem(origin("firmware"), {
      message: `${pathName(origin("firmware"))} is seabios, but image.secureboot (${report.line(["image", "secureboot"])}) needs ovmf`,
      hint: "remove firmware: Secure Boot selects ovmf",
    });
}

function memory(pool: ProxmoxPool, report: Report): void {
  const { settings, origin, role } = pool;
  const { balloon, hugepages, numa, sockets = 1 } = settings;
  const all = mib(settings.memory ?? (role && DEFAULT_SIZES[role].memory));
  const pages = hugepages === undefined || hugepages === false ? undefined : hugepages === "1GiB" ? 1024 : 2;
  if (typeof balloon === "string") ballooning(pool, balloon, all, report);
  if (pages === undefined) return;
  if (numa === false)
    report.problem(origin("numa"), {
      message: `${pathName(origin("numa"))} is false, but hugepages (${report.line(origin("hugepages"))}) needs it`,
      hint: "remove numa: hugepages turns it on",
    });
  if (all !== undefined && all % (pages * sockets) !== 0)
    report.problem(origin("hugepages"), {
      message: `${pathName(origin("hugepages"))} does not divide the memory of ${formatMiB(all)}${sockets > 1 ? ` on ${sockets} sockets` : ""}`,
      hint: `use a multiple of ${formatMiB(pages * sockets)} for memory${pages === 1024 ? ", or hugepages: 2MiB" : ""}`,
    });
}

/** The balloon gives memory back page by page; what a device may write to, or huge pages hold, stays. */
function ballooning({ settings, origin }: ProxmoxPool, balloon: string, all: number | undefined, report: Report): void {
  const path = origin("balloon");
  const least = mib(balloon);
  if (least !== undefined && all !== undefined && least > all)
    report.problem(path, {
      message: `${pathName(path)} is more than the machine's memory`,
      hint: `use at most ${formatMiB(all).replace(" ", "")}, or false`,
      remark: `memory is ${formatMiB(all)}`,
    });
  const others = [
    ...(settings.hugepages !== undefined && settings.hugepages !== false ? ["hugepages"] : []),
    ...(settings.pci !== undefined && settings.pci.length > 0 ? ["pci"] : []),
  ];
  for (const key of others)
    report.problem(path, {
      message: `${pathName(path)} takes memory back, but ${key} (${report.line(origin(key))}) keeps all of it in use`,
      hint: `remove balloon, or ${key}`,
      on: "key",
    });
}

/** Talos reads none from the disks of a virtual machine: siderolabs/talos issue 12073. */
function serials({ everywhere }: ProxmoxPool, report: Report): void {
  for (const { path, value } of everywhere("volumes"))
    for (const [index, volume] of value.entries()) {
      if (typeof volume?.disk !== "object" || volume.disk.serial === undefined) continue;
      const at = [...path, index, "disk", "serial"];
      report.warn(at, {
        message: `${pathName(at)} is not visible to Talos on Proxmox, so the volume would wait for its disk forever`,
        hint: "define the volume together with its disk, under disks: { size: 500GiB, volume: NAME }",
        on: "key",
      });
    }
}

function mib(size: string | undefined): number | undefined {
  const parsed = size === undefined ? undefined : parseSize(size);
  return parsed?.ok ? parsed.mib : undefined;
}
