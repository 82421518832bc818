import { formatMiB } from "@talosmith/lib/units.ts";
import type { VmOptions } from "../client/qemu.ts";
import { readProperties } from "../property-string.ts";
import { field, type MachineField, word } from "./field.ts";

const DEFAULT_MIB = 512;
const OFF = "off";

/** In MiB. */
export function memoryOf({ memory }: VmOptions): number {
  return Number(readProperties(memory, "current").current ?? DEFAULT_MIB);
}

export const MEMORY_FIELDS: readonly MachineField[] = [
  field(
    "memory",
    { config: "nodes[].memory", readsBack: "memory: a text of MiB, or `current=8192`", takesEffect: "restart" },
    {
      read: (options) => formatMiB(memoryOf(options)),
      want: ({ node }) => formatMiB(node.memory),
      send: ({ node }) => ({ set: { memory: String(node.memory) } }),
    },
  ),
  field(
    "balloon",
    {
      config: "nodes[].balloon",
      readsBack: "balloon: MiB; 0 is off, absent is all of the memory. Switching it on or off takes a restart",
      takesEffect: "live",
    },
    {
      read: (options) => (options.balloon === "0" ? OFF : formatMiB(Number(options.balloon ?? memoryOf(options)))),
      want: ({ node }) => (node.balloon === undefined ? OFF : formatMiB(node.balloon)),
      send: ({ node }) => ({ set: { balloon: String(node.balloon ?? 0) } }),
      // The balloon device itself is added and removed only by a power cycle.
      restart: (from, to) => from === OFF || to === OFF,
    },
  ),
  word(
    "hugepages",
    { config: "nodes[].hugepages", readsBack: "hugepages: any, 2 or 1024", takesEffect: "restart" },
    "none",
    ({ node }) => node.hugepages,
    ({ node }) => node.hugepages === undefined,
  ),
];
