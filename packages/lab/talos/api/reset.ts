import { Code, ConnectError } from "@connectrpc/connect";
import { type ResetRequest, ResetRequest_WipeMode as WipeMode } from "@talosmith/wire/gen/machine/machine_pb.js";
import type { Wipe } from "../machine/sequences.ts";
import { partitionsOf, systemDisk } from "../resources/partitions.ts";
import type { Called } from "./caller.ts";

/** Validates a reset. Without named partitions it wipes the whole system disk (docs/facts/talos.md#reset). */
export function wipeOf(called: Called, request: ResetRequest): Wipe {
  const { mode, graceful } = request;
  checkUserDisks(called, request);
  const labels = systemLabels(called, request);
  return { labels: mode === WipeMode.USER_DISKS ? ["none"] : labels, graceful };
}

function refused(message: string): ConnectError {
  return new ConnectError(message, Code.Unknown);
}

function checkUserDisks(called: Called, { userDisksToWipe, mode }: ResetRequest): void {
  if (userDisksToWipe.length === 0) return;
  if (mode === WipeMode.SYSTEM_DISK)
    throw refused("reset failed: invalid input, wipe mode SYSTEM_DISK doesn't support UserDisksToWipe parameter");
  for (const path of userDisksToWipe) {
    const disk = called.machine.hardware.disks.find((one) => `/dev/${one.device}` === path);
    if (!disk) throw refused(`reset user disk failed: device ${path} wasn't found`);
    if (disk.cdrom) throw refused(`reset user disk failed: device ${path} is readonly`);
    if (disk === systemDisk(called)) throw refused(`reset user disk failed: device ${path} is the system disk`);
  }
}

function systemLabels(called: Called, { systemPartitionsToWipe, mode }: ResetRequest): string[] {
  if (systemPartitionsToWipe.length === 0) return [];
  if (mode === WipeMode.USER_DISKS)
    throw refused("reset failed: invalid input, wipe mode USER_DISKS doesn't support SystemPartitionsToWipe parameter");
  const disk = systemDisk(called);
  const there = disk ? partitionsOf(called, disk).flatMap(({ id, volume }) => (volume === undefined ? [] : [id])) : [];
  for (const { label } of systemPartitionsToWipe) {
    if (there.includes(label)) continue;
    const resource = `VolumeStatuses.block.talos.dev(runtime/${label}@undefined)`;
    throw refused(`failed to get volume status with label ${JSON.stringify(label)}: resource ${resource} doesn't exist`);
  }
  return systemPartitionsToWipe.filter(({ wipe }) => wipe).map(({ label }) => label);
}
