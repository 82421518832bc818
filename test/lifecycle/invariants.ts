import { readMark } from "../../src/platforms/proxmox/mark.ts";
import type { LabVm } from "../support/root.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { FOLDER, type Outcome, type Scene } from "./scene.ts";

/** Invariants after a recovery; each line is a violation. */
export async function violations(scene: Scene, files: VolatileFiles, expected: Expected): Promise<string[]> {
  const found: string[] = [];
  const vms = await scene.root.vms();
  const strangers = new Set(expected.foreign.map((vm) => vm.vmid));
  const ours = vms.filter(
    (vm) =>
      !strangers.has(vm.vmid) && (vm.config.tags ?? "").split(";").includes("talosmith") && vm.config.template === undefined,
  );
  const names = ours
    .filter((vm) => readMark(vm.config.description)?.vm === vm.vmid)
    .map((vm) => readMark(vm.config.description)?.node ?? "?");
  const wanted = [...expected.machines].sort().join(" ");
  if (names.sort().join(" ") !== wanted) found.push(`machines are [${names.join(" ")}], expected [${wanted}]`);
  if (ours.length !== names.length) found.push(`${ours.length - names.length} of our machines without a valid mark`);
  if (ours.some((vm) => !vm.running)) found.push("one of our machines is not running");
  for (const vm of ours) found.push(...(await waiting(scene, vm)));
  found.push(...foreignTouched(expected.foreign, vms), ...(await strayVolumes(scene, vms, expected.kept ?? [])));
  // Where everything is removed, the next `up` would create it again; then `down` must find nothing to do.
  const after = expected.machines.length > 0 ? await scene.plan(files) : await scene.down(files);
  const changed = after.events.some((event) => event.type === "mutation.intent");
  if (after.exitCode !== 0 || changed) found.push(`not done: exit ${after.exitCode}: ${said(after)}`);
  const secrets = text(files, `${FOLDER}/secrets.yaml`);
  if (expected.secrets !== undefined && secrets !== expected.secrets) found.push("secrets.yaml was rewritten");
  return found;
}

/** Options of a machine that are pending until a power cycle. */
async function waiting(scene: Scene, vm: LabVm): Promise<string[]> {
  const options = (await scene.root.call("GET", `/nodes/${vm.node}/qemu/${vm.vmid}/pending`)) as {
    key: string;
    pending?: string;
    delete?: number;
  }[];
  return options
    .filter((one) => one.pending !== undefined || one.delete !== undefined)
    .map((one) => `${vm.config.name}: ${one.key} still waits for a power cycle`);
}

/** Every VM that is not ours, however similar it looks. */
export async function foreignIn(scene: Scene): Promise<LabVm[]> {
  return (await scene.root.vms()).filter(
    (vm) => readMark(vm.config.description)?.vm !== vm.vmid && !vm.config.description?.includes("talosmith-template"),
  );
}

export interface Expected {
  machines: readonly string[];
  foreign: readonly LabVm[];
  /**
   * The part of a kept disk's volume name after its owner and environment ("worker-1_data"): exactly one volume of each must exist, whichever
   * machine uses it.
   */
  kept?: readonly string[];
  /** Its content before, when it existed. */
  secrets?: string | undefined;
}

function foreignTouched(before: readonly LabVm[], now: readonly LabVm[]): string[] {
  return before.flatMap((vm) => {
    const after = now.find((other) => other.vmid === vm.vmid);
    const seen = (one: LabVm | undefined) => JSON.stringify(one && { ...one, config: Object.entries(one.config).sort() });
    return seen(after) === seen(vm) ? [] : [`foreign VM ${vm.vmid} was touched: ${seen(vm)} became ${seen(after)}`];
  });
}

/** Volumes without an owner, and kept ones that are missing or duplicate. */
async function strayVolumes(scene: Scene, vms: readonly LabVm[], kept: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    scene.at.hosts.map(async (host) => {
      const volumes = (await scene.root.call("GET", `/nodes/${host}/storage/local-lvm/content`)) as { volid: string }[];
      return volumes.map(({ volid }) => ({ host, volid }));
    }),
  );
  const volumes = lists.flat();
  const isKept = (name: string) => volumes.filter(({ volid }) => volid.endsWith(`_${name}`));
  const waiting = new Set(kept.flatMap(isKept));
  return [
    ...volumes.flatMap((volume) => {
      const { host, volid } = volume;
      const owner = vms.find(
        (vm) => vm.node === host && Object.values(vm.config).some((value) => String(value).startsWith(volid)),
      );
      return owner || waiting.has(volume) ? [] : [`volume ${volid} on ${host} has no owner`];
    }),
    ...kept.flatMap((name) => (isKept(name).length === 1 ? [] : [`the kept disk ${name} is there ${isKept(name).length} times`])),
  ];
}

export function text(files: VolatileFiles, path: string): string | undefined {
  const content = files.read(path);
  return content && Buffer.from(content).toString("utf8");
}

/** The errors of a command, for a failing test to show. */
export function said(outcome: Outcome): string {
  return outcome.events
    .flatMap((event) => {
      if ((event.type === "error" || event.type === "step.finished") && event.error)
        return [`${event.error.code}: ${event.error.message} ${event.error.detail ?? ""}`];
      if (event.type === "result" && event.result.kind === "plan")
        return event.result.changes.map(
          (change) =>
            `${change.verb} ${change.subject} ${change.fields.map((field) => `${field.path}: ${JSON.stringify(field.from)} → ${JSON.stringify(field.to)}`).join(", ")}`,
        );
      return [];
    })
    .join(" | ");
}

/** A long run prints its violations at once. */
export function report(found: string[], where: string, wrong: readonly string[]): void {
  for (const line of wrong) {
    found.push(`${where}: ${line}`);
    console.log(`lifecycle: violation: ${where}: ${line}`);
  }
}

/** One violation is enough to detect a planted bug; otherwise all are reported. */
export function enough(found: readonly string[]): boolean {
  return process.env.BAIL !== undefined && found.length > 0;
}
