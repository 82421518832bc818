import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keptDiskKey, readKeptDisk } from "./kept-disks.ts";

const ENVIRONMENT = "lab-12345678";
const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);

test("no two disks of an environment have the same name, however their nodes are called", () => {
  fc.assert(
    fc.property(name, name, name, name, (node, disk, otherNode, otherDisk) => {
      fc.pre(node !== otherNode || disk !== otherDisk);
      expect(keptDiskKey(ENVIRONMENT, node, disk)).not.toBe(keptDiskKey(ENVIRONMENT, otherNode, otherDisk));
    }),
  );
});

test("a name with many dashes is cut: LVM doubles them, and takes 127 characters with the volume group's name", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z-]{1,63}$/), fc.stringMatching(/^[a-z-]{1,63}$/), (node, disk) => {
      const volume = `vm-20417-${keptDiskKey(ENVIRONMENT, node, disk)}`;
      expect(volume.replaceAll("-", "--").length).toBeLessThan(115);
    }),
  );
});

test.each([
  ["local-lvm:vm-41234-lab-12345678_gpu-1_models", { storage: "local-lvm", owner: 41234, key: "lab-12345678_gpu-1_models" }],
  ["local:41234/vm-41234-lab-12345678_gpu-1_models.raw", { storage: "local", owner: 41234, key: "lab-12345678_gpu-1_models" }],
])("%s is a kept disk of the environment in its name", (volume, disk) => {
  expect(readKeptDisk(volume, ENVIRONMENT)).toEqual({ volume, ...disk });
  expect(readKeptDisk(volume, "lab-1234567")).toBeUndefined();
});

test("a machine's own disk, or one with a similar name, is not a kept disk", () => {
  for (const volume of [
    "local-lvm:vm-20417-disk-0",
    "local-lvm:vm-1-lab-12345678-gpu-1",
    "local:iso/lab-12345678_x.iso",
    "none",
  ]) {
    expect(readKeptDisk(volume, ENVIRONMENT)).toBeUndefined();
  }
});
