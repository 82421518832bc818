import { formatMiB } from "@talosmith/lib/units.ts";
import type { ConfigPath } from "../../config/config.ts";
import type { Change, Field, Verb } from "../../engine/step.ts";
import type { VmConfig, VmOptions } from "./client/qemu.ts";
import { bytesOf, type Drive, dataDrive, systemDrive } from "./fields/drives.ts";
import type { FieldItem, MachineField, Sending, TakesEffect } from "./fields/field.ts";
import { instanceOf, type Machine, type MachineSpec } from "./machine.ts";
import { MACHINE_FIELDS } from "./machine-fields.ts";

const GIB = 1024 ** 3;
const same = (a: unknown, b: unknown) => a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));

export interface Difference {
  field: Field;
  /** The options to send; absent when the value is right after a power cycle. */
  send?: () => Sending;
  /** Whether it takes effect only after a power cycle. */
  restart: boolean;
  /** Whether it is kept, because only root may change it. */
  kept: boolean;
}

/** Kinds of change that a running VM takes at once, unless its hotplug option excludes them. */
const HOTPLUG = ["network", "disk", "usb"];

function waitsForRestart(effect: TakesEffect, { hotplug }: VmOptions): boolean {
  if (effect === "live" || effect === "restart") return effect === "restart";
  const kinds = hotplug === undefined || hotplug === "1" ? HOTPLUG : hotplug.split(",");
  return !kinds.includes(effect);
}

function difference(field: MachineField, item: FieldItem, spec: MachineSpec, machine: Machine): Difference | undefined {
  const { want } = item;
  const { live, next } = machine.config;
  const now = item.read(live);
  const wrongNow = !same(now, want);
  const later = next === live ? now : item.read(next);
  const wrongLater = next === live ? wrongNow : !same(later, want);
  if (!wrongNow && !wrongLater) return undefined;
  const waits = item.restart?.(now, want) ?? waitsForRestart(field.takesEffect, live);
  return {
    field: { path: item.path, from: wrongNow ? now : later, to: want, ...placeOf(spec, item.setting) },
    ...(wrongLater && { send: () => item.send(next) }),
    // A change that was made but waits for a power cycle counts as much as one that was never made.
    restart: machine.running && wrongNow && (waits || !wrongLater),
    kept: !spec.asRoot && (item.rootOnly?.(wrongNow ? live : next) ?? false),
  };
}

/** The differences found already: a step asks for them in its plan, its notes and its wanted state. Neither a spec nor an observed machine ever changes. */
const found = new WeakMap<MachineSpec, WeakMap<Machine, readonly Difference[]>>();

export function allDifferences(spec: MachineSpec, machine: Machine): readonly Difference[] {
  const ofSpec = found.get(spec) ?? new WeakMap<Machine, readonly Difference[]>();
  found.set(spec, ofSpec);
  const all =
    ofSpec.get(machine) ??
    MACHINE_FIELDS.flatMap((field) =>
      field.items(spec, machine.config).flatMap((item) => difference(field, item, spec, machine) ?? []),
    );
  ofSpec.set(machine, all);
  return all;
}

/** The fields of a machine that differ from the config. */
export function differences(spec: MachineSpec, machine: Machine): Difference[] {
  return allDifferences(spec, machine).filter((one) => !one.kept);
}

/** Merges the options of all differences into one call, each option once. */
export function sendingFor(found: readonly Difference[]): Required<Sending> {
  return merged(found.flatMap((one) => one.send?.() ?? []));
}

function merged(sendings: readonly Sending[]): Required<Sending> {
  const set: Record<string, string> = Object.assign({}, ...sendings.map((one) => one.set ?? {}));
  const unset = new Set(sendings.flatMap((one) => one.unset ?? []));
  const revert = new Set(sendings.flatMap((one) => one.revert ?? []));
  const free = (options: Iterable<string>) => [...options].filter((option) => set[option] === undefined).sort();
  return { set, unset: free(unset), revert: free(revert).filter((option) => !unset.has(option)) };
}

/** All options for the creation of a machine. */
export function allOptions(spec: MachineSpec): Readonly<Record<string, string>> {
  const none: VmConfig = { live: {}, next: {} };
  return merged(MACHINE_FIELDS.flatMap((field) => field.items(spec, none)).map((item) => item.send({}))).set;
}

/** A frame belongs to an error; in a plan the line is enough. */
export function placeOf(spec: MachineSpec, setting: ConfigPath | undefined): Pick<Field, "where"> {
  const place = setting && spec.where(setting);
  return place === undefined ? {} : { where: { file: place.file, line: place.line, column: place.column } };
}

interface Growth {
  slot: string;
  /** In GiB. */
  size: number;
  field: Field;
}

/** Disks that are smaller than configured; disks only grow. */
export function growths(spec: MachineSpec, { config }: Machine): Growth[] {
  const { node } = spec;
  const grown = (path: string, drive: Drive | undefined, size: number, setting: ConfigPath): Growth[] => {
    const now = drive && bytesOf(drive);
    if (!drive || now === undefined || now >= size * GIB) return [];
    const field = { path, from: humanBytes(now), to: humanGiB(size), ...placeOf(spec, ["nodes", node.name, ...setting]) };
    return [{ slot: drive.slot, size, field }];
  };
  return [
    ...grown("disk", systemDrive(node, config.next), node.disk, ["disk"]),
    ...node.disks.flatMap((disk, at) =>
      grown(`disk ${disk.name} size`, dataDrive(disk, config.next), disk.size, ["disks", at, "size"]),
    ),
  ];
}

/** The fields that require a new machine: address, role and boot mode, which the mark records, and `node replace`. */
export function replacement(
  spec: Pick<MachineSpec, "node" | "role" | "secureboot">,
  machine: Pick<Machine, "mark" | "config" | "vmid">,
): Field[] {
  const { node, role, secureboot } = spec;
  const { mark, vmid } = machine;
  const busOf = (bus: string | undefined) => bus ?? "scsi";
  const wanted = [
    { path: "address", from: mark.address, to: node.ip },
    { path: "role", from: mark.role, to: role },
    { path: "firmware", from: mark.firmware ?? "seabios", to: node.firmware },
    { path: "disk bus", from: busOf(mark.bus), to: busOf(node.controller === "virtio" ? "virtio" : undefined) },
    { path: "secure boot", from: mark.secureboot === true, to: secureboot },
  ];
  const isDiscarded = node.discards !== undefined && node.discards === instanceOf(machine);
  return [
    ...(isDiscarded ? [{ path: "machine", from: `VM ${vmid}`, to: "a new VM" }] : []),
    ...wanted.filter(({ from, to }) => from !== to),
  ];
}

/** The difference between a machine's pool and the configured one; none when the config names no pool. */
export function poolDifference(spec: MachineSpec, { pool }: Machine): Field | undefined {
  const wanted = spec.node.pool;
  return wanted === undefined || wanted === pool ? undefined : poolField(spec, pool ?? "none", wanted);
}

export function poolField(spec: MachineSpec, from: string | null, to: string): Field {
  return { path: "pool", from, to, ...placeOf(spec, ["nodes", spec.node.name, "pool"]) };
}

export function changesOf(step: string, subject: string, spec: MachineSpec, machine: Machine): Change[] {
  const replaced = replacement(spec, machine);
  if (replaced.length > 0) return [{ id: step, step, verb: "replace", subject, fields: replaced, needsConsent: spec.node.name }];
  const found = differences(spec, machine);
  const pool = poolDifference(spec, machine);
  const fields: Field[] = [
    ...found.map((one) => one.field),
    ...growths(spec, machine).map(({ field }) => field),
    ...(pool ? [pool] : []),
    ...(machine.running ? [] : [{ path: "power", from: "off", to: "on" }]),
  ];
  if (fields.length === 0) return [];
  const verb: Verb = found.some((one) => one.restart) ? "restart" : "update";
  return [{ id: step, step, verb, subject, fields }];
}

export const humanGiB = (gib: number) => humanBytes(gib * GIB);

export function humanBytes(bytes: number): string {
  return formatMiB(Math.round(bytes / 1024 ** 2));
}
