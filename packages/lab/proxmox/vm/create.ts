import { mayAt, requirePrivileges, requireVmPrivileges } from "../access/permission.ts";
import { type Effect, type JobStep, startJob } from "../jobs/job.ts";
import { configLock, RESERVATION_WAIT, WORKER_WAIT } from "../jobs/lock.ts";
import { startTask } from "../jobs/upid.ts";
import { whenDone } from "../jobs/waiting.ts";
import { died, forbidden } from "../refusal.ts";
import { releaseOf } from "../release.ts";
import type { ApiCall, Later } from "../routes/route.ts";
import { hostNamed, type ProxmoxState, seconds, type Vm } from "../state.ts";
import { defaultBootOrder } from "./boot-order.ts";
import { requireOneCloudInit } from "./cloud-init.ts";
import { diskSteps, madeDrives } from "./disk-steps.ts";
import { isDriveKey } from "./drive.ts";
import { checkDrives, requireStorageAccess } from "./drive-parameters.ts";
import { completeNics, newUuid } from "./identity.ts";
import { requireDeviceRights, requireNetworks, requireOptionRights } from "./option-rights.ts";
import { normaliseTags, stripped } from "./option-values.ts";
import { startSteps } from "./power.ts";
import { newVm } from "./seen.ts";

/** Parameters of the call that are not options of the machine. */
const CALL_ONLY = ["node", "vmid", "pool", "start", "storage", "bwlimit", "force", "unique", "live-restore", "ha-managed"];

interface Creation {
  vmid: number;
  config: Record<string, string>;
  pool?: string;
  start?: boolean;
  managed?: boolean;
  fault?: string;
}

/**
 * POST /nodes/{n}/qemu (docs/facts/proxmox.md#create): the call checks rights and networks, and leaves only `lock: create`; a worker creates the
 * disks and writes the config.
 */
export function createVm({ lab, state, caller, params, node, fault }: ApiCall): Later {
  const vmid = Number(params.vmid);
  const config = Object.fromEntries(Object.entries(params).filter(([key]) => !CALL_ONLY.includes(key)));
  if (config.cdrom !== undefined) {
    config.ide2 = config.cdrom;
    delete config.cdrom;
  }
  const { pool, storage } = params;
  const start = params.start === "1";
  const managed = params["ha-managed"] === "1";
  if (pool !== undefined && !state.pools[pool]) throw forbidden(`pool '${pool}' does not exist`);
  if (storage !== undefined) requirePrivileges(state, caller, `/storage/${storage}`, ["Datastore.AllocateSpace"]);
  if (managed) requirePrivileges(state, caller, "/", ["Sys.Console"]);
  onDefaultStorage(config, storage);
  requireCreation(state, caller, vmid, pool, start, config);
  checkDrives(state, config);
  completeNics(lab, vmid, config);
  const creation: Creation = {
    vmid,
    config,
    ...(pool !== undefined && { pool }),
    ...(start && { start }),
    ...(managed && { managed }),
    ...(fault !== undefined && { fault }),
  };
  const steps: JobStep[] = [
    { blame: `unable to create VM ${vmid} -` },
    { lock: configLock(vmid), waitMs: RESERVATION_WAIT },
    { become: "vm.reserve", with: { ...creation } },
  ];
  return whenDone(lab, startJob(lab, { node, by: caller, steps }));
}

/** "32" alone is a size on the storage given in the call. */
function onDefaultStorage(config: Record<string, string>, storage: string | undefined): void {
  for (const key of Object.keys(config).filter(isDriveKey).sort()) {
    const [file = "", ...rest] = (config[key] as string).split(",");
    if (!/^(?:file=)?\d+(?:\.\d+)?$/.test(file)) continue;
    if (storage === undefined) throw died("no storage ID specified (and no default storage)");
    config[key] = [`${storage}:${file.replace("file=", "")}`, ...rest].join(",");
  }
}

function requireCreation(
  state: ProxmoxState,
  caller: string,
  vmid: number,
  pool: string | undefined,
  start: boolean,
  config: Record<string, string>,
): void {
  if (start && releaseOf(state).startCheckedAtCreate) requireVmPrivileges(state, caller, vmid, pool, ["VM.PowerMgmt"]);
  const places = [`/vms/${vmid}`, ...(pool === undefined ? [] : [`/pool/${pool}`])];
  // Here Proxmox does not name the missing privilege.
  if (!places.some((path) => mayAt(state, caller, path, "VM.Allocate"))) throw forbidden();
  const wish = { state, caller, vmid, pool };
  requireStorageAccess(state, caller, vmid, config);
  requireOptionRights(wish, Object.keys(config));
  for (const [key, value] of Object.entries(config)) requireDeviceRights(wish, key, value);
  requireNetworks(state, caller, config);
}

/** From here on the id is taken, in the whole cluster. */
const reserve: Effect<Creation> = ({ lab, state, job }, creation) => {
  const { vmid, fault } = creation;
  const existing = state.vms[vmid];
  if (existing) throw died(`VM ${vmid} already exists on node '${existing.node}'`);
  state.vms[vmid] = newVm(lab, vmid, job.node, { lock: "create" });
  job.memo.answer = startTask(lab, {
    type: "qmcreate",
    id: String(vmid),
    node: job.node,
    by: job.by,
    steps: creationSteps(state, creation),
    undo: [
      { become: "disk.discard", with: null },
      { become: "vm.uncreated", with: { vmid } },
    ],
    fault,
  }).upid;
  return [];
};

function creationSteps(state: ProxmoxState, creation: Creation): JobStep[] {
  const { vmid, config } = creation;
  return [
    { lock: configLock(vmid), waitMs: WORKER_WAIT },
    { blame: `unable to create VM ${vmid} -` },
    { become: "vm.creating", with: { vmid, config } },
    ...diskSteps(state, vmid, config),
    { become: "vm.created", with: { ...creation } },
  ];
}

const creating: Effect<{ vmid: number; config: Record<string, string> }> = (_, { config }) => {
  requireOneCloudInit({}, config);
  return [];
};

const created: Effect<Creation> = (run, { vmid, config: asked, pool, start, managed }) => {
  const { lab, state, job } = run;
  const vm = state.vms[vmid] as Vm;
  const config: Record<string, string> = { ...stripped(asked, hostNamed(state, vm.node)), ...madeDrives(run) };
  config.boot ??= defaultBootOrder(config);
  config.smbios1 ??= `uuid=${newUuid(lab, `smbios ${vmid}`)}`;
  if (config.vmgenid === undefined || config.vmgenid === "1") config.vmgenid = newUuid(lab, `vmgenid ${vmid}`);
  const release = releaseOf(state);
  config.meta = `creation-qemu=${release.qemu},ctime=${seconds(lab)}`;
  if (config.tags !== undefined) {
    if (release.tagsCheckedAtCreate) requirePrivileges(state, job.by, `/vms/${vmid}`, ["VM.Config.Options"]);
    if (release.tagsNormalisedAtCreate) config.tags = normaliseTags(state, config.tags);
  }
  vm.config = config;
  if (pool !== undefined) state.pools[pool]?.vms.push(vmid);
  if (managed) {
    run.say("Add as HA resource");
    state.ha.resources[`vm:${vmid}`] = { sid: `vm:${vmid}`, type: "vm", state: start ? "started" : "stopped" };
  }
  if (!start) return [];
  run.say("Execute autostart");
  startTask(lab, { type: "qmstart", id: String(vmid), node: job.node, by: job.by, steps: startSteps(vmid) });
  return [];
};

const uncreated: Effect<{ vmid: number }> = ({ state }, { vmid }) => {
  delete state.vms[vmid];
  return [];
};

export const createEffects = { "vm.reserve": reserve, "vm.creating": creating, "vm.created": created, "vm.uncreated": uncreated };
