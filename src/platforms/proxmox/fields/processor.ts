import { words } from "../client/loose.ts";
import { printProperties, readProperties } from "../property-string.ts";
import { field, flagText, type MachineField, setOrUnset } from "./field.ts";

/** Proxmox's default. */
const DEFAULT_CPU = "kvm64";
/** The default weight of control groups v2, which hosts have unless they were switched back to v1. An absent value means the same. */
const DEFAULT_UNITS = 100;
/** A host with control groups v2 stores larger weights as this. */
const MOST_UNITS_V2 = 10_000;
/** A host with control groups v1 stores smaller weights as this. */
const LEAST_UNITS_V1 = 2;

const cpuOf = (text: string | undefined) => readProperties(text ?? DEFAULT_CPU, "cputype");

/** Whether a weight is the wanted one as either version of control groups stores it: the host's version is not queried. */
function isStoredAs(stored: number, wanted: number): boolean {
  return stored === wanted || stored === Math.min(wanted, MOST_UNITS_V2) || stored === Math.max(wanted, LEAST_UNITS_V1);
}

function cpuText(type: string, flags: readonly string[], now: string | undefined): string {
  const { cputype: _, flags: __, ...kept } = readProperties(now, "cputype");
  return printProperties({ cputype: type, ...(flags.length > 0 && { flags: flags.join(";") }), ...kept }, "cputype");
}

/** "0-3,8" and "8,0,1,2,3" are the same cores. */
function coresOf(text: string): string {
  const cores = words(text).flatMap((part) => {
    const [from = 0, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
  return [...new Set(cores)].sort((a, b) => a - b).join(",");
}

export const PROCESSOR_FIELDS: readonly MachineField[] = [
  field(
    "cores",
    { config: "nodes[].cores", readsBack: "cores: a number", takesEffect: "restart" },
    {
      read: ({ cores }) => Number(cores ?? 1),
      want: ({ node }) => node.cores,
      send: ({ node }) => ({ set: { cores: String(node.cores) } }),
    },
  ),
  field(
    "sockets",
    { config: "nodes[].sockets", readsBack: "sockets: a number", takesEffect: "restart" },
    {
      read: ({ sockets }) => Number(sockets ?? 1),
      want: ({ node }) => node.sockets,
      send: ({ node }) => ({ set: { sockets: String(node.sockets) } }),
    },
  ),
  field(
    "numa",
    { config: "nodes[].numa", readsBack: "numa: 0 or 1, absent is 0", takesEffect: "restart" },
    {
      read: ({ numa }) => numa === "1",
      want: ({ node }) => node.numa,
      send: ({ node }) => ({ set: { numa: flagText(node.numa) } }),
    },
  ),
  field(
    "cpu",
    { config: "nodes[].cpu", readsBack: "cpu: the text as sent; `cputype=host` is `host`", takesEffect: "restart" },
    {
      read: ({ cpu }) => cpuOf(cpu).cputype ?? DEFAULT_CPU,
      want: ({ node }) => node.cpu,
      send: ({ node }, { cpu }) => ({ set: { cpu: cpuText(node.cpu, node.cpuFlags, cpu) } }),
    },
  ),
  field(
    "cpu flags",
    { config: "nodes[].cpuFlags", readsBack: "cpu: `flags=+aes;-pcid`, compared as a set", takesEffect: "restart" },
    {
      read: ({ cpu }) => [...new Set(words(cpuOf(cpu).flags))].sort().join(" ") || "none",
      want: ({ node }) => [...new Set(node.cpuFlags)].sort().join(" ") || "none",
      send: ({ node }, { cpu }) => ({ set: { cpu: cpuText(node.cpu, node.cpuFlags, cpu) } }),
    },
  ),
  field(
    "cpu units",
    {
      config: "nodes[].cpuUnits",
      readsBack: `cpuunits: a number; absent is ${DEFAULT_UNITS}. With control groups v2 at most ${MOST_UNITS_V2}, with v1 at least ${LEAST_UNITS_V1}`,
      takesEffect: "live",
    },
    {
      read: ({ cpuunits }, { node }) => {
        const stored = Number(cpuunits ?? DEFAULT_UNITS);
        return node.cpuUnits !== undefined && isStoredAs(stored, node.cpuUnits) ? node.cpuUnits : stored;
      },
      want: ({ node }) => node.cpuUnits ?? DEFAULT_UNITS,
      send: ({ node }) => setOrUnset("cpuunits", node.cpuUnits?.toString()),
    },
  ),
  field(
    "affinity",
    { config: "nodes[].affinity", readsBack: "affinity: the text as sent, compared as a set of cores", takesEffect: "restart" },
    {
      read: ({ affinity }) => (affinity === undefined ? "none" : coresOf(affinity)),
      want: ({ node }) => (node.affinity === undefined ? "none" : coresOf(node.affinity)),
      send: ({ node }) => setOrUnset("affinity", node.affinity),
      rootOnly: ({ node }) => node.affinity === undefined,
    },
  ),
];
