import { parseSchematic } from "../factory/schematic.ts";
import { FACTORY, type FactoryState } from "../factory/state.ts";
import type { Lab } from "../kernel/kernel.ts";

/** What a machine needs to know of the schematic its image was made from. */
export interface MadeWith {
  /** "siderolabs/qemu-guest-agent" */
  extensions: readonly string[];
  enrollKeys?: string;
  /** "talos.config=metal-iso" */
  kernelArgs: readonly string[];
}

const NOTHING: MadeWith = { extensions: [], kernelArgs: [] };

/** By their text: machines are asked about it all the time, and reading YAML takes longer than all the rest of the answer. */
const read = new Map<string, MadeWith>();

/** Nothing when there is no factory in this lab that would know. */
export function madeWith(lab: Lab, schematic: string): MadeWith {
  const yaml = schematicsOf(lab)[schematic];
  if (yaml === undefined) return NOTHING;
  const known = read.get(yaml) ?? readMadeWith(yaml);
  read.set(yaml, known);
  return known;
}

function readMadeWith(yaml: string): MadeWith {
  const { customization } = parseSchematic(yaml);
  const enrollKeys = customization.secureboot?.enrollKeys;
  return {
    extensions: customization.systemExtensions?.officialExtensions ?? [],
    kernelArgs: customization.extraKernelArgs ?? [],
    ...(enrollKeys !== undefined && { enrollKeys }),
  };
}

function schematicsOf(lab: Lab): FactoryState["schematics"] {
  try {
    return lab.state<FactoryState>(FACTORY).schematics;
  } catch {
    return {};
  }
}
