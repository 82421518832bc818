import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import { known, type Ref, type Write } from "../../engine/step.ts";
import { refusalOf } from "./client/client.ts";
import { cloneVm, createVm, moveToPool, power, resizeDisk, updateVm } from "./client/qemu.ts";
import { taskDone } from "./client/tasks.ts";
import { allOptions, differences, growths, poolDifference, sendingFor } from "./compare.ts";
import { busOf, dataDrive, driveText, systemSlot } from "./fields/drives.ts";
import { ISO_DRIVE } from "./installation-iso.ts";
import { keptVolumes, lacksKeptDisk } from "./kept-disks.ts";
import { type Machine, type MachineSpec, markFor } from "./machine.ts";
import { disksMade, printMark, replaceMark } from "./mark.ts";
import { everything } from "./scan.ts";
import type { Site } from "./site.ts";

/** The source of a new machine's disk: an image or an ISO by its volume's id, or a template by its VM's id. */
export type Source = { method: "import" | "iso"; ref: Ref<string> } | { method: "template"; ref: Ref<number> };

const MINUTE = 60_000;
const SHUTDOWN_S = 60;

const SAYING: Record<Source["method"], string> = {
  import: "writing the image to its disk",
  iso: "making an empty disk, with the medium to install from",
  template: "cloning the template",
};

/**
 * Creates the VM with its mark in the same call, so that it is recognised even when the run is interrupted. Returns it when that call set all its
 * options, so that only the size of its disk is missing.
 */
export async function createMachine(
  site: Site,
  c: Write,
  wanted: MachineSpec,
  source: Source | undefined,
): Promise<NewMachine | undefined> {
  const { name } = wanted.node;
  // Observed right before this, unless the machine that it replaces was just removed.
  const { vmid, host } = site.places.assigned(name) ?? (await site.places.find(c, wanted.environment, name));
  if (!source)
    throw remoteError("WORLD_CHANGED", {
      message: `Unable to create ${name}: its machine disappeared while the command ran`,
      hint: "run the command again",
    });
  const spec = source.method === "template" ? wanted : await withKeptDisks(site, c, wanted, { vmid, host });
  c.say(SAYING[source.method]);
  const upid = await c
    .mutate({ key: `vm ${vmid}`, what: `create machine ${name}`, hint: { host } }, () => make(site, c, spec, source, host, vmid))
    .catch((error: unknown) => {
      throw idTaken(error, name);
    });
  await taskDone(site.client, c, upid, `create machine ${name}`, 30 * MINUTE);
  site.places.made(name);
  const isComplete = source.method !== "template" && spec.node.pool === undefined && spec.kept.size === 0;
  return isComplete ? { vmid, host, isImported: source.method === "import" } : undefined;
}

/** A VM that was created a moment ago with all its options. */
interface NewMachine {
  vmid: number;
  host: string;
  /** Its disk has the size of the image. */
  isImported: boolean;
}

/** Gives the disk of a new machine its size, and starts it. It is read only afterwards, when its step compares the result with the config. */
export async function startNewMachine(site: Site, c: Write, { node }: MachineSpec, made: NewMachine): Promise<void> {
  const { vmid, host, isImported } = made;
  if (isImported)
    await grow(site, c, node.name, made, { slot: systemSlot(node), size: node.disk, path: "disk" }).catch(unlessLarger);
  await startVm(site, c, host, vmid, node.name);
}

/** An image that is larger than the configured disk stays as it is, like every disk that is too large. */
function unlessLarger(error: unknown): void {
  const exit = error instanceof TalosmithError ? error.cause : undefined;
  if (!(typeof exit === "string" && exit.includes("shrinking disks is not supported"))) throw error;
}

async function grow(
  { client }: Site,
  c: Write,
  name: string,
  { vmid, host }: { vmid: number; host: string },
  { slot, size, path }: { slot: string; size: number; path: string },
): Promise<void> {
  const what = `grow ${path} of ${name}`;
  const upid = await c.mutate({ key: `vm ${vmid}`, what }, () => resizeDisk(client, host, vmid, slot, `${size}G`, c));
  await taskDone(client, c, upid, what, 10 * MINUTE);
}

function make(site: Site, c: Write, spec: MachineSpec, source: Source, host: string, vmid: number): Promise<string> {
  const { name, storage, pool } = spec.node;
  const ours = {
    description: printMark(markFor(spec, vmid), spec.notes),
    ...(pool !== undefined && { pool }),
  };
  if (source.method === "template") {
    // A linked clone is on its template's storage, and must not name one.
    const how = site.env.config.image.clone === "linked" ? { full: 0 } : { full: 1, storage };
    return cloneVm(site.client, host, known(c, source.ref), { newid: vmid, name, ...ours, ...how }, c);
  }
  const { tags, ...options } = allOptions(spec);
  // From 9.2 on, tags in the creating call need a privilege on the VM itself, which a pool grants only for VMs that are already in it.
  const narrowing = pool === undefined ? { tags } : {};
  const disk = source.method === "import" ? importedDisk(spec, known(c, source.ref)) : installedDisk(spec, known(c, source.ref));
  return createVm(site.client, host, { ...options, ...narrowing, ...disk, ...ours, vmid }, c);
}

function importedDisk({ node }: MachineSpec, image: string): Record<string, string> {
  return {
    [systemSlot(node)]: driveText({ file: `${node.storage}:0`, "import-from": image }, node.diskFlags, busOf(node)),
  };
}

/** The boot options for an installation from an ISO: an empty disk does not boot, so the first start is from the ISO, and later ones from the disk. */
function installedDisk({ node }: MachineSpec, medium: string): Record<string, string> {
  return {
    [systemSlot(node)]: driveText({ file: `${node.storage}:${node.disk}` }, node.diskFlags, busOf(node)),
    [ISO_DRIVE]: `${medium},media=cdrom`,
    boot: `order=${systemSlot(node)};${ISO_DRIVE}`,
  };
}

/** Adds the volumes of the kept disks to the spec; missing ones are created. */
async function withKeptDisks(
  { client, env }: Site,
  c: Write,
  spec: MachineSpec,
  place: { vmid: number; host: string },
): Promise<MachineSpec> {
  if (!lacksKeptDisk(spec.node, undefined)) return spec;
  const taken = async () =>
    new Set([...(await everything(client, c)).keys(), ...env.config.nodes.flatMap((node) => node.vmid ?? [])]);
  return { ...spec, kept: await keptVolumes(client, c, spec.environment, spec.node, place, taken) };
}

/** The error for an id that was taken after the check: by an earlier call of this run that took effect, or by another process. The next look decides. */
function idTaken(error: unknown, name: string): unknown {
  const reason = refusalOf(error)?.reason ?? "";
  if (!(error instanceof TalosmithError) || !/already exists/.test(reason)) return error;
  return remoteError("ID_TAKEN", { message: `Unable to make ${name}: ${reason}`, transient: true, cause: error });
}

/** Sets the options, disks and pool of an existing machine, and returns it. Options that need a restart remain pending. */
export async function configureMachine(site: Site, c: Write, spec: MachineSpec): Promise<Machine> {
  const { name } = spec.node;
  const machine = await configure(site, c, spec);
  const { vmid } = machine;
  for (const { slot, size, field } of growths(spec, machine))
    await grow(site, c, name, machine, { slot, size, path: field.path.replace(/ size$/, "") });
  const { pool } = spec.node;
  if (pool !== undefined && poolDifference(spec, machine)) {
    const what = `put ${name} into pool ${pool}`;
    await c.mutate({ key: `vm ${vmid}`, what }, () => moveToPool(site.client, pool, vmid, c));
  }
  return machine;
}

/** Starts a machine; one that runs with outdated settings is shut down first. `now`: the machine, if it was read a moment ago. */
export async function startMachine(site: Site, c: Write, spec: MachineSpec, now?: Machine): Promise<void> {
  const { client } = site;
  const { name } = spec.node;
  const machine = now ?? (await existing(site, c, spec));
  const { vmid, host } = machine;
  const restart = differences(spec, machine).some((one) => one.restart);
  if (restart) {
    const what = `shut down ${name}`;
    c.say("shutting down, to start with the new settings");
    const upid = await c.mutate({ key: `vm ${vmid}`, what }, () =>
      power(client, host, vmid, "shutdown", { timeout: SHUTDOWN_S, forceStop: 1 }, c),
    );
    await taskDone(client, c, upid, what, 5 * MINUTE);
  }
  if (restart || !machine.running) await startVm(site, c, host, vmid, name);
}

async function existing(site: Site, c: Write, { environment, node }: MachineSpec): Promise<Machine> {
  const { machine } = await site.places.find(c, environment, node.name);
  if (machine) return machine;
  throw remoteError("MACHINE_GONE", { message: `Unable to find ${node.name}, which was just created`, transient: true });
}

/** One option can change another (a new drive joins the boot order), so the result is compared again. */
const ROUNDS = 3;

async function configure(site: Site, c: Write, wanted: MachineSpec): Promise<Machine> {
  const { name } = wanted.node;
  let spec = wanted;
  for (let round = 1; ; round++) {
    const machine = await existing(site, c, spec);
    if (lacksKeptDisk(spec.node, machine)) spec = await withKeptDisks(site, c, spec, machine);
    const { set, unset, revert } = sendingFor(differences(spec, machine));
    const options = {
      ...set,
      ...(unset.length > 0 && { delete: unset.join(",") }),
      ...(revert.length > 0 && { revert: revert.join(",") }),
    };
    if (Object.keys(options).length === 0 || round > ROUNDS) return machine;
    const { vmid, host, config } = machine;
    const what = `configure machine ${name}`;
    c.say(`setting ${[...Object.keys(set), ...unset, ...revert].join(", ")}`);
    const marked = { ...options, ...newDisksMarked(spec, machine, set.description), digest: config.digest };
    const upid = await c.mutate({ key: `vm ${vmid}`, what }, () => updateVm(site.client, host, vmid, marked, c));
    if (upid) await taskDone(site.client, c, upid, what, 5 * MINUTE);
  }
}

/** Adds new data disks to the mark in the call that creates them: when the config no longer contains a disk, only the mark identifies it as ours. */
function newDisksMarked({ node }: MachineSpec, { mark, config }: Machine, description = config.next.description) {
  const serials = node.disks.map(({ serial }) => serial);
  const missing = node.disks.filter((disk) => !dataDrive(disk, config.next)).map(({ serial }) => serial);
  const before = disksMade(mark) ?? serials;
  if (missing.every((serial) => mark.disks?.includes(serial))) return {};
  return { description: replaceMark(description ?? "", { ...mark, disks: [...new Set([...before, ...missing])] }) };
}

/** Starts a VM; succeeds when it already runs. */
export async function startVm(site: Site, c: Write, host: string, vmid: number, name: string): Promise<void> {
  const what = `start ${name}`;
  c.say("starting");
  const upid = await c.mutate({ key: `vm ${vmid}`, what }, () => power(site.client, host, vmid, "start", {}, c));
  await taskDone(site.client, c, upid, what, 5 * MINUTE).catch((error: unknown) => {
    const exit = error instanceof TalosmithError ? error.cause : undefined;
    if (!(typeof exit === "string" && exit.includes("already running"))) throw error;
  });
}
