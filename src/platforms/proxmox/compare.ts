import type { Change, Field, Finding, Verb } from "../../engine/step.ts";
import { formatMiB } from "../../lib/units.ts";
import type { VmOptions } from "./client/qemu.ts";
import type { Machine, MachineSpec } from "./machine.ts";
import { diskBytes, diskStorage, MACHINE_FIELDS, type MachineField } from "./machine-fields.ts";

const GIB = 1024 ** 3;
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export interface Difference {
  field: Field;
  /** Not right even after a power cycle: must be sent. */
  options?: Record<string, string>;
  /** Right only after a power cycle. */
  restart: boolean;
}

function difference(field: MachineField, spec: MachineSpec, machine: Machine): Difference | undefined {
  const want = field.want(spec);
  const { live, next } = machine.config;
  const now = field.read(live);
  const later = field.read(next);
  const wrongNow = !same(now, want);
  const wrongLater = !same(later, want);
  if (!wrongNow && !wrongLater) return undefined;
  return {
    field: { path: field.path, from: wrongNow ? now : later, to: want },
    ...(wrongLater && { options: field.options(spec, next) }),
    // A change that was made but waits for a power cycle counts as much as one that was never made.
    restart: machine.running && wrongNow && (field.takesEffect === "restart" || !wrongLater),
  };
}

export function differences(spec: MachineSpec, machine: Machine): Difference[] {
  return MACHINE_FIELDS.flatMap((field) => difference(field, spec, machine) ?? []);
}

/** Everything to send for a machine that does not exist yet. */
export function allOptions(spec: MachineSpec): Record<string, string> {
  const none: VmOptions = {};
  return Object.assign({}, ...MACHINE_FIELDS.map((field) => field.options(spec, none)));
}

/** How far the disk is below what it should be; disks only grow. */
export function diskGrowth(spec: MachineSpec, machine: Machine): { from: string; to: string } | undefined {
  const now = diskBytes(machine.config.next);
  const want = spec.node.diskGiB * GIB;
  if (now === undefined || now >= want) return undefined;
  return { from: humanBytes(now), to: humanBytes(want) };
}

/** Another address or role makes it another machine; the mark remembers what it was made as. */
export function replacement(spec: MachineSpec, machine: Machine): Field[] {
  const { mark } = machine;
  return [
    ...(mark.address !== spec.node.ip ? [{ path: "address", from: mark.address, to: spec.node.ip }] : []),
    ...(mark.role !== spec.role ? [{ path: "role", from: mark.role, to: spec.role }] : []),
  ];
}

export function changesOf(step: string, subject: string, spec: MachineSpec, machine: Machine): Change[] {
  const replaced = replacement(spec, machine);
  if (replaced.length > 0) return [{ id: step, step, verb: "replace", subject, fields: replaced, needsConsent: spec.node.name }];
  const found = differences(spec, machine);
  const growth = diskGrowth(spec, machine);
  const fields: Field[] = [
    ...found.map((one) => one.field),
    ...(growth ? [{ path: "disk", ...growth }] : []),
    ...(machine.running ? [] : [{ path: "power", from: "off", to: "on" }]),
  ];
  if (fields.length === 0) return [];
  const verb: Verb = found.some((one) => one.restart) ? "restart" : "update";
  return [{ id: step, step, verb, subject, fields }];
}

/** What differs and is left alone, with the reason. */
export function keptAsIs(spec: MachineSpec, machine: Machine): Finding[] {
  const notes: Finding[] = [];
  const { name, diskGiB, storage, host, vmid } = spec.node;
  const now = diskBytes(machine.config.next);
  if (now !== undefined && now > diskGiB * GIB) {
    notes.push({
      level: "warn",
      code: "DISK_LARGER",
      message: `${name}: disk is ${humanBytes(now)}, config says ${humanBytes(diskGiB * GIB)}; kept (disks cannot shrink)`,
      hint: `set disk: ${humanBytes(now).replace(" ", "")} in the config`,
    });
  }
  const on = diskStorage(machine.config.next);
  if (on !== undefined && on !== storage) {
    notes.push({
      level: "warn",
      code: "DISK_ELSEWHERE",
      message: `${name}: its disk is on ${on}, config says ${storage}; kept (disks are not moved)`,
    });
  }
  if (vmid !== undefined && vmid !== machine.vmid) {
    notes.push({
      level: "warn",
      code: "OTHER_ID",
      message: `${name}: is VM ${machine.vmid}, config says ${vmid}; kept (an id cannot be changed)`,
      hint: `set vmid: ${machine.vmid} in the config`,
    });
  }
  if (host !== undefined && host !== machine.host) {
    notes.push({
      level: "warn",
      code: "MIGRATED",
      message: `${name}: runs on ${machine.host}, config says ${host}; kept there (it was migrated)`,
    });
  }
  return notes;
}

export function humanBytes(bytes: number): string {
  return formatMiB(Math.round(bytes / 1024 ** 2));
}
