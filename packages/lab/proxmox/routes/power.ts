import type { Json } from "@talosmith/lib/json.ts";
import { ROOT } from "../access/acl.ts";
import { mayAt } from "../access/permission.ts";
import { interruptJob, type JobStep } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { startTask } from "../jobs/upid.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_TEXT } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { badParameters, died } from "../refusal.ts";
import { isRunning } from "../vm/config.ts";
import { rebootSteps, resetSteps, type Shutdown, shutdownSteps, startSteps, stopSteps } from "../vm/power.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const timeout: Property = { type: "integer", optional: true, minimum: 0 };
const SHUTDOWN_LIMIT = 60;

const START: Properties = {
  timeout,
  skiplock: OPTIONAL_BOOLEAN,
  machine: OPTIONAL_TEXT,
  "force-cpu": OPTIONAL_TEXT,
  migratedfrom: OPTIONAL_TEXT,
  migration_network: OPTIONAL_TEXT,
  migration_type: { type: "string", optional: true, enum: ["secure", "insecure"] },
  "nets-host-mtu": OPTIONAL_TEXT,
  stateuri: OPTIONAL_TEXT,
  targetstorage: OPTIONAL_TEXT,
  "with-conntrack-state": OPTIONAL_BOOLEAN,
};

/** Refuses options that are for root alone, whatever privileges a user has (docs/facts/proxmox.md#root-only). */
export function rootOnly({ caller, params }: ApiCall, ...options: string[]): void {
  for (const option of options)
    if (params[option] !== undefined && params[option] !== "0" && caller !== ROOT)
      throw badParameters({ [option]: "Only root may use this option." });
}

function task(call: ApiCall, type: string, steps: JobStep[]): Json {
  const { lab, node, caller, params, fault } = call;
  return startTask(lab, { type, id: params.vmid as string, node, by: caller, steps, fault }).upid;
}

function start(call: ApiCall): Json {
  rootOnly(call, "skiplock", "machine", "force-cpu", "migratedfrom", "migration_network", "migration_type", "stateuri");
  const vmid = Number(call.params.vmid);
  return byHa(call, vmid, "started") ?? task(call, "qmstart", startSteps(vmid));
}

function stop(call: ApiCall): Json {
  rootOnly(call, "skiplock", "keepActive", "migratedfrom");
  const vmid = Number(call.params.vmid);
  const asked = byHa(call, vmid, "stopped");
  if (asked !== undefined) return asked;
  if (call.params["overrule-shutdown"] === "1") abortShutdowns(call, vmid);
  return task(call, "qmstop", stopSteps(vmid));
}

/** Aborts running shutdown tasks that the caller may abort. */
function abortShutdowns({ lab, state, caller, node }: ApiCall, vmid: number): void {
  for (const running of state.tasks) {
    if (running.type !== "qmshutdown" || running.id !== String(vmid) || running.endtime !== undefined) continue;
    const job = state.jobs.find((known) => known.upid === running.upid);
    const may = running.user === caller || mayAt(state, caller, `/nodes/${node}`, "Sys.Modify");
    if (job && may) interruptJob(lab, job, "received interrupt");
  }
}

function shutdownOf(call: ApiCall): Shutdown {
  const vmid = Number(call.params.vmid);
  const down = /(?:^|,)down=(\d+)/.exec(call.state.vms[vmid]?.config.startup ?? "")?.[1];
  const limit = Number(call.params.timeout ?? down ?? SHUTDOWN_LIMIT) * 1000;
  return { vmid, limit, force: call.params.forceStop === "1" };
}

function shutdown(call: ApiCall): Json {
  rootOnly(call, "skiplock", "keepActive");
  const asked = shutdownOf(call);
  if (call.state.vms[asked.vmid]?.power?.paused) throw died("VM is paused - cannot shutdown");
  return byHa(call, asked.vmid, "stopped") ?? task(call, "qmshutdown", shutdownSteps(asked));
}

/** For a machine managed by HA, only the HA manager starts and stops it (docs/facts/proxmox.md#power). */
function byHa(call: ApiCall, vmid: number, to: "started" | "stopped"): Json | undefined {
  const resource = call.state.ha.resources[`vm:${vmid}`];
  if (!resource || resource.state === "ignored") return undefined;
  const [type, what] = to === "started" ? ["hastart", "start"] : ["hastop", "stop"];
  return task(call, type as string, [{ say: `Requesting HA ${what} for VM ${vmid}` }, { become: "vm.ha", with: { vmid, to } }]);
}

/** Pauses the processors only: nothing is written to a disk. */
function suspend(call: ApiCall): Json {
  rootOnly(call, "skiplock");
  if (call.params.todisk === "1") throw died("the lab does not write machines' memory to disks");
  return pauseTask(call, "qmpause", true);
}

function resume(call: ApiCall): Json {
  rootOnly(call, "skiplock", "nocheck");
  return pauseTask(call, "qmresume", false);
}

function pauseTask(call: ApiCall, type: string, on: boolean): Json {
  const vmid = requireRunning(call);
  return task(call, type, [
    { lock: configLock(vmid), waitMs: CONFIG_WAIT },
    { become: "vm.paused", with: { vmid, on } },
  ]);
}

function reboot(call: ApiCall): Json {
  const asked = shutdownOf(call);
  requireRunning(call);
  return task(call, "qmreboot", rebootSteps(asked));
}

function reset(call: ApiCall): Json {
  rootOnly(call, "skiplock");
  return task(call, "qmreset", resetSteps(requireRunning(call)));
}

/**
 * Here the call itself fails, not a task (docs/facts/proxmox.md#power): start, stop and shutdown are tasks even for a machine that does not exist.
 */
function requireRunning({ state, node, params }: ApiCall): number {
  const vmid = Number(params.vmid);
  if (!isRunning(state, node, vmid)) throw died(`VM ${vmid} not running`);
  return vmid;
}

const AT = "/nodes/:node/qemu/:vmid/status";
const power = (parameters: Properties) => ({ permission: { privilege: ["/vms/:vmid", "VM.PowerMgmt"] }, parameters }) as const;

export const powerRoutes: Method[] = [
  route("POST", `${AT}/start`, power(START), start),
  route(
    "POST",
    `${AT}/stop`,
    power({
      timeout,
      skiplock: OPTIONAL_BOOLEAN,
      keepActive: OPTIONAL_BOOLEAN,
      migratedfrom: OPTIONAL_TEXT,
      "overrule-shutdown": OPTIONAL_BOOLEAN,
    }),
    stop,
  ),
  route(
    "POST",
    `${AT}/shutdown`,
    power({ timeout, skiplock: OPTIONAL_BOOLEAN, keepActive: OPTIONAL_BOOLEAN, forceStop: OPTIONAL_BOOLEAN }),
    shutdown,
  ),
  route("POST", `${AT}/reboot`, power({ timeout }), reboot),
  route(
    "POST",
    `${AT}/suspend`,
    power({ skiplock: OPTIONAL_BOOLEAN, todisk: OPTIONAL_BOOLEAN, statestorage: OPTIONAL_TEXT }),
    suspend,
  ),
  route("POST", `${AT}/resume`, power({ skiplock: OPTIONAL_BOOLEAN, nocheck: OPTIONAL_BOOLEAN }), resume),
  route("POST", `${AT}/reset`, power({ skiplock: OPTIONAL_BOOLEAN }), reset),
];
