import { readImage } from "../../factory/image.ts";
import { SimulatedError } from "../../proxmox/refusal.ts";
import { allocateImage } from "../../proxmox/storage/allocate.ts";
import { kindOf } from "../../proxmox/storage/kinds.ts";
import { usableStorage } from "../../proxmox/storage/storages.ts";
import { printVolumeId } from "../../proxmox/storage/volume-id.ts";
import { keepContent } from "../../proxmox/storage/volumes.ts";
import { requireUnlocked, vmOn } from "../../proxmox/vm/config.ts";
import { readBytes } from "../files.ts";
import { type Ended, failed, look, printed, type Started } from "./program.ts";

/** `qm disk import VMID FILE STORAGE [--format FORMAT]`: the file becomes a disk of the machine that nothing uses yet. */
export function importDisk(started: Started, args: readonly string[]): Ended {
  const [vmid, source, storageId, ...options] = args;
  if (vmid === undefined || source === undefined || storageId === undefined)
    return failed(255, "400 not enough arguments\nqm disk import <vmid> <source> <storage> [OPTIONS]\n");
  const at = options.findIndex((option) => /^--?format$/.test(option));
  const asked = at < 0 ? undefined : options[at + 1];
  try {
    return look(started, (view) => {
      const { lab, proxmox, name: node } = view;
      const vm = vmOn(proxmox, node, Number(vmid));
      requireUnlocked(vm);
      const bytes = readBytes(view, source);
      if (bytes === undefined) return failed(255, `${source}: non-existent or non-regular file\n`);
      const storage = usableStorage(proxmox, storageId, node);
      if (!storage.content.includes("images")) return failed(255, `storage ${storageId} does not support vm images\n`);
      const size = Math.max(readImage(bytes).virtualSize, 1024 ** 2);
      // A format the storage does not have gives way to its own.
      const format = asked !== undefined && kindOf(storage).formats.includes(asked) ? { format: asked } : {};
      const volume = allocateImage(lab, storage, node, { vmid: vm.vmid, bytes: size, written: bytes.length, ...format });
      volume.sha256 = keepContent(proxmox, bytes);
      let n = 0;
      while (vm.config[`unused${n}`] !== undefined) n++;
      vm.config[`unused${n}`] = printVolumeId(volume);
      const said = `unused${n}: successfully imported disk '${printVolumeId(volume)}'`;
      return printed(`importing disk '${source}' to VM ${vmid} ...\n${said}\n`);
    });
  } catch (error) {
    if (error instanceof SimulatedError) return failed(255, `${error.message}\n`);
    throw error;
  }
}
