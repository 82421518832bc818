import * as z from "zod";
import { leaves, list, section } from "./value.ts";

const FILE_OR_MAP = "write the patch itself, as keys and values, or the name of a file";

const patch = z.union([z.string(), z.record(z.string(), z.unknown())]).register(leaves, {
  example: '{ machine: { sysctls: { vm.swappiness: "1" } } }',
  typeHint: FILE_OR_MAP,
});

/** A list of patches, whose content is checked only when they are applied to machine configs. */
export const patchList = (about: string) => list(patch, { about, example: "[patches/sysctls.yaml]", byDefault: [] });

export const patches = section(
  "Talos patches (strategic merge patches), inline or in files beside this one. A file may contain several documents.",
  {
    all: patchList("For every node.").optional(),
    controlplane: patchList("For control planes, applied after those of all.").optional(),
    worker: patchList("For workers, applied after those of all.").optional(),
  },
);
