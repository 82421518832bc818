import type { Json } from "@talosmith/lib/json.ts";
import { type Field, isLater, type Known } from "../../engine/step.ts";
import { humanGiB, placeOf, poolField } from "./compare.ts";
import type { FieldItem } from "./fields/field.ts";
import type { MachineSpec } from "./machine.ts";
import { MACHINE_FIELDS } from "./machine-fields.ts";

/** The fields of a new machine that a plan shows without --verbose, in this order; data disks follow. */
const IN_BRIEF = ["address", "cores", "sockets", "memory", "disk"];

/** Two ids to compare: a value that differs between them depends on the environment's id. */
const ANY_ID = "a";
const OTHER_ID = "b";

/**
 * Every managed field of a machine to be made, in the units that an update shows. `specFor` takes the environment's id; while there is none yet, a
 * value that depends on it is shown as known later.
 */
export function createdFields(specFor: (environment: string) => MachineSpec, environment: Known<string>): Field[] {
  const spec = specFor(isLater(environment) ? ANY_ID : environment);
  const others = isLater(environment) ? wantedOf(specFor(OTHER_ID)) : [];
  const fields = wantedOf(spec).map(({ path, want, setting }, at): Field => {
    const isKnown = others[at] === undefined || JSON.stringify(want) === JSON.stringify(others[at].want);
    const field: Field = { path, from: null, to: isKnown ? want : environment, ...placeOf(spec, setting) };
    return isInBrief(field, spec) ? field : { ...field, detail: true };
  });
  const rank = ({ path }: Field) => (IN_BRIEF.includes(path) ? IN_BRIEF.indexOf(path) : IN_BRIEF.length);
  const { pool } = spec.node;
  return [
    ...fields.sort((a, b) => rank(a) - rank(b)),
    ...(pool === undefined ? [] : [{ ...poolField(spec, null, pool), detail: true as const }]),
  ];
}

function wantedOf(spec: MachineSpec): Pick<FieldItem, "path" | "want" | "setting">[] {
  const { node } = spec;
  return [
    ...MACHINE_FIELDS.flatMap((field) => field.items(spec, { live: {}, next: {} })),
    { path: "disk", want: humanGiB(node.disk), setting: ["nodes", node.name, "disk"] },
  ];
}

function isInBrief({ path, to }: { path: string; to: Known<Json> }, { node }: MachineSpec): boolean {
  if (path === "sockets") return to !== 1;
  return IN_BRIEF.includes(path) || node.disks.some(({ name }) => path === `disk ${name}`);
}
