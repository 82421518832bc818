import type { Json } from "@talosmith/lib/json.ts";
import { requirePrivileges } from "../access/permission.ts";
import { startTask } from "../jobs/upid.ts";
import { configId, OPTIONAL_BOOLEAN, OPTIONAL_TEXT } from "../parameters/formats.ts";
import type { Property } from "../parameters/property.ts";
import { died } from "../refusal.ts";
import { shuffled } from "../shuffle.ts";
import { digestOf, readConfigOf, requireUnlocked, vmOn } from "../vm/config.ts";
import { removeSnapshotSteps, rollbackSteps, snapshotOf, snapshotSteps } from "../vm/snapshot.ts";
import { type ApiCall, type Method, route } from "./route.ts";

function list({ lab, state, node, params }: ApiCall): Json {
  const vm = vmOn(state, node, Number(params.vmid));
  const taken = Object.entries(vm.snapshots ?? {}).map(([name, { time, description, parent, vmstate }]) => ({
    name,
    snaptime: time,
    vmstate: vmstate === undefined ? 0 : 1,
    description: description ?? "",
    ...(parent !== undefined && { parent }),
  }));
  const { parent } = vm.config;
  const current = { name: "current", description: "You are here!", digest: digestOf(vm), running: vm.power ? 1 : 0 };
  return [...shuffled(lab, `snapshots ${vm.vmid}`, taken), { ...current, ...(parent !== undefined && { parent }) }];
}

function take({ lab, state, caller, node, params, fault }: ApiCall): Json {
  const { snapname: name = "", description } = params;
  if (name === "current") throw died("unable to use snapshot name 'current' (reserved name)");
  if (name.toLowerCase() === "pending") throw died("unable to use snapshot name 'pending' (reserved name)");
  const { vmid } = vmOn(state, node, Number(params.vmid));
  const steps = snapshotSteps({ vmid, name, vmstate: params.vmstate === "1", ...(description !== undefined && { description }) });
  return startTask(lab, { type: "qmsnapshot", id: String(vmid), node, by: caller, steps, fault }).upid;
}

function rollback({ lab, state, caller, node, params, fault }: ApiCall): Json {
  const vmid = Number(params.vmid);
  if (params.start === "1") requirePrivileges(state, caller, `/vms/${vmid}`, ["VM.PowerMgmt"]);
  const steps = rollbackSteps({ vmid, name: params.snapname as string }, params.start === "1");
  return startTask(lab, { type: "qmrollback", id: String(vmid), node, by: caller, steps, fault }).upid;
}

function remove({ lab, caller, node, params, fault }: ApiCall): Json {
  const vmid = Number(params.vmid);
  const steps = removeSnapshotSteps({ vmid, name: params.snapname as string });
  return startTask(lab, { type: "qmdelsnapshot", id: String(vmid), node, by: caller, steps, fault }).upid;
}

function read({ state, node, params }: ApiCall): Json {
  const { config, time, description, parent, vmstate } = snapshotOf(
    vmOn(state, node, Number(params.vmid)),
    params.snapname as string,
  );
  return {
    ...readConfigOf(config),
    snaptime: time,
    ...(description !== undefined && { description }),
    ...(parent !== undefined && { parent }),
    ...(vmstate !== undefined && { vmstate }),
  };
}

function describe({ state, node, params }: ApiCall): Json {
  if (params.description === undefined) return null;
  const vm = vmOn(state, node, Number(params.vmid));
  requireUnlocked(vm);
  snapshotOf(vm, params.snapname as string).description = params.description;
  return null;
}

const AT = "/nodes/:node/qemu/:vmid/snapshot";
const snapname: Property = { type: "string", format: configId, maxLength: 40 };
const MAKE = { privilege: ["/vms/:vmid", "VM.Snapshot"] } as const;
const ROLLBACK = { anyPrivilege: ["/vms/:vmid", "VM.Snapshot", "VM.Snapshot.Rollback"] } as const;
const LOOK = { anyPrivilege: ["/vms/:vmid", "VM.Snapshot", "VM.Snapshot.Rollback", "VM.Audit"] } as const;

export const snapshotRoutes: Method[] = [
  route("GET", AT, { permission: { privilege: ["/vms/:vmid", "VM.Audit"] } }, list),
  route("POST", AT, { permission: MAKE, parameters: { snapname, vmstate: OPTIONAL_BOOLEAN, description: OPTIONAL_TEXT } }, take),
  route("GET", `${AT}/:snapname`, { permission: { user: "all" } }, () => [{ cmd: "rollback" }, { cmd: "config" }]),
  route("DELETE", `${AT}/:snapname`, { permission: MAKE, parameters: { force: OPTIONAL_BOOLEAN } }, remove),
  route("GET", `${AT}/:snapname/config`, { permission: LOOK }, read),
  route("PUT", `${AT}/:snapname/config`, { permission: MAKE, parameters: { description: OPTIONAL_TEXT } }, describe),
  route("POST", `${AT}/:snapname/rollback`, { permission: ROLLBACK, parameters: { start: OPTIONAL_BOOLEAN } }, rollback),
];
