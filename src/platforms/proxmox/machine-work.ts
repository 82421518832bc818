import { known, type Ref, type Write } from "../../engine/step.ts";
import { remoteError, TalosmithError } from "../../lib/errors.ts";
import { refusalOf } from "./client/client.ts";
import { cloneVm, createVm, deleteVm, power, resizeDisk, updateVm } from "./client/qemu.ts";
import { taskDone } from "./client/tasks.ts";
import { allOptions, differences, diskGrowth } from "./compare.ts";
import { type Machine, type MachineSpec, markFor } from "./machine.ts";
import { SYSTEM_DISK, systemDisk } from "./machine-fields.ts";
import { printMark, readMark } from "./mark.ts";
import { isOurs } from "./scan.ts";
import { settledVm } from "./settled-vm.ts";
import type { Site } from "./site.ts";

/** What a new machine's disk is made from. */
export type Source = { method: "import"; ref: Ref<string> } | { method: "template"; ref: Ref<number> };

const MINUTE = 60_000;
const SHUTDOWN_S = 60;

/** Makes the VM with its mark in the creating call, so that whatever happens next it is known to be ours. */
export async function createMachine(site: Site, c: Write, spec: MachineSpec, source: Source | undefined): Promise<void> {
  const { name, storage } = spec.node;
  const { vmid, host } = await site.places.find(c, spec.environment, name);
  if (!source)
    throw remoteError("WORLD_CHANGED", {
      message: `Unable to make ${name}: it was there a moment ago`,
      hint: "run the command again",
    });
  const description = printMark(markFor(spec, vmid));
  c.say(source.method === "import" ? "writing the image to its disk" : "cloning the template");
  const upid = await c
    .mutate({ key: `vm ${vmid}`, what: `create machine ${name}`, hint: { host } }, () =>
      source.method === "import"
        ? createVm(site.client, host, { ...allOptions(spec), vmid, description, ...importedDisk(storage, known(c, source.ref)) })
        : cloneVm(site.client, host, known(c, source.ref), { newid: vmid, name, description, full: 1, storage }),
    )
    .catch((error: unknown) => {
      throw idTaken(error, name);
    });
  await taskDone(site.client, c, upid, `create machine ${name}`, 30 * MINUTE);
}

function importedDisk(storage: string, image: string): Record<string, string> {
  return systemDisk({ file: `${storage}:0`, "import-from": image });
}

/** The id was free when we looked: either an earlier call of ours got through after all, or somebody was quicker. Looking again tells. */
function idTaken(error: unknown, name: string): unknown {
  const reason = refusalOf(error)?.reason ?? "";
  if (!(error instanceof TalosmithError) || !/already exists/.test(reason)) return error;
  return remoteError("ID_TAKEN", { message: `Unable to make ${name}: ${reason}`, transient: true, cause: error });
}

/** Brings an existing machine to what it should be: options, disk, power. */
export async function reconcile(site: Site, c: Write, spec: MachineSpec): Promise<void> {
  const { client } = site;
  const { name } = spec.node;
  const machine = await configure(site, c, spec);
  const { vmid, host } = machine;
  const key = `vm ${vmid}`;
  if (diskGrowth(spec, machine)) {
    const what = `grow the disk of ${name}`;
    const upid = await c.mutate({ key, what }, () => resizeDisk(client, host, vmid, SYSTEM_DISK, `${spec.node.diskGiB}G`));
    await taskDone(client, c, upid, what, 10 * MINUTE);
  }
  const restart = differences(spec, machine).some((one) => one.restart);
  if (restart) {
    const what = `shut down ${name}`;
    c.say("shutting down, to start with the new settings");
    const upid = await c.mutate({ key, what }, () =>
      power(client, host, vmid, "shutdown", { timeout: SHUTDOWN_S, forceStop: 1 }),
    );
    await taskDone(client, c, upid, what, 5 * MINUTE);
  }
  if (restart || !machine.running) await start(site, c, host, vmid, name);
}

/** One option can move another (a new drive joins the boot order), so what was sent is looked at once more. */
const ROUNDS = 3;

async function configure(site: Site, c: Write, spec: MachineSpec): Promise<Machine> {
  const { name } = spec.node;
  for (let round = 1; ; round++) {
    const { machine } = await site.places.find(c, spec.environment, name);
    if (!machine)
      throw remoteError("MACHINE_GONE", { message: `Unable to find ${name}, which was made a moment ago`, transient: true });
    const options = Object.assign({}, ...differences(spec, machine).map((one) => one.options ?? {}));
    if (Object.keys(options).length === 0 || round > ROUNDS) return machine;
    const { vmid, host, config } = machine;
    const what = `configure machine ${name}`;
    c.say(`setting ${Object.keys(options).join(", ")}`);
    const upid = await c.mutate({ key: `vm ${vmid}`, what }, () =>
      updateVm(site.client, host, vmid, { ...options, digest: config.digest }),
    );
    if (upid) await taskDone(site.client, c, upid, what, 5 * MINUTE);
  }
}

async function start(site: Site, c: Write, host: string, vmid: number, name: string): Promise<void> {
  const what = `start ${name}`;
  c.say("starting");
  const upid = await c.mutate({ key: `vm ${vmid}`, what }, () => power(site.client, host, vmid, "start"));
  await taskDone(site.client, c, upid, what, 5 * MINUTE).catch((error: unknown) => {
    const exit = error instanceof TalosmithError ? error.cause : undefined;
    if (!(typeof exit === "string" && exit.includes("already running"))) throw error;
  });
}

/** Switches a machine off, without asking it, and removes it; only if it is ours at this very moment. */
export async function removeMachine(site: Site, c: Write, environment: string, name: string): Promise<void> {
  const { client, places, env } = site;
  const place = await places.find(c, environment, name);
  if (!place.machine) return;
  await removeVm(site, c, { environment, cluster: env.config.cluster.name, name, vmid: place.vmid, host: place.host });
  await c.until({
    name: `${name} is gone`,
    timeoutMs: MINUTE,
    poll: async () =>
      (await settledVm(client, c, place.host, place.vmid)) === "absent" ? true : { reason: "it is still listed" },
  });
  places.forget(name);
}

export interface Doomed {
  environment: string;
  cluster: string;
  name: string;
  vmid: number;
  host: string;
}

export async function removeVm(site: Site, c: Write, doomed: Doomed): Promise<void> {
  const { client } = site;
  const { vmid, host, name } = doomed;
  const key = `vm ${vmid}`;
  const vm = await settledVm(client, c, host, vmid);
  if (vm === "absent") return;
  if (vm === "stuck" || !isOurs(readMark(vm.config.next.description), vmid, doomed.environment, doomed.cluster)) {
    throw remoteError("NOT_OURS", {
      message: `Unable to remove VM ${vmid} on ${host}: it is not ${name} any more`,
      hint: "look at it in the Proxmox UI; nothing was touched",
    });
  }
  if (vm.running) {
    const what = `stop ${name}`;
    c.say("switching off");
    const upid = await c.mutate({ key, what }, () => power(client, host, vmid, "stop", { "overrule-shutdown": 1 }));
    await taskDone(client, c, upid, what, 5 * MINUTE);
  }
  const what = `remove machine ${name}`;
  c.say("removing");
  const upid = await c.mutate({ key, what }, () => deleteVm(client, host, vmid));
  await taskDone(client, c, upid, what, 10 * MINUTE);
}
