import { parseSchematic } from "../factory/schematic.ts";
import { FACTORY, type FactoryState } from "../factory/state.ts";
import type { Lab } from "../kernel/kernel.ts";

/** The parts of a schematic that matter to a machine. */
export interface MadeWith {
  /** "siderolabs/qemu-guest-agent" */
  extensions: readonly string[];
  enrollKeys?: string;
  /** "talos.config=metal-iso" */
  kernelArgs: readonly string[];
}

const NOTHING: MadeWith = { extensions: [], kernelArgs: [] };

/** A cache by text: this is read often, and parsing YAML takes longer than all other work. */
const read = new Map<string, MadeWith>();

/** Empty when the lab has no factory that knows the schematic. */
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
