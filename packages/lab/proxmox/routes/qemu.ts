import type { Json } from "@talosmith/lib/json.ts";
import { mayAt, requirePrivileges } from "../access/permission.ts";
import { startTask } from "../jobs/upid.ts";
import { dnsName, NODE, OPTIONAL_BOOLEAN, OPTIONAL_TEXT, STORAGE, VMID } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { died } from "../refusal.ts";
import { shuffled } from "../shuffle.ts";
import { type Clone, cloneSteps, requireCloneable } from "../vm/clone.ts";
import { vmOn } from "../vm/config.ts";
import { createVm } from "../vm/create.ts";
import { destroySteps, requireDestroyable } from "../vm/destroy.ts";
import { drivesOf, volumeOf } from "../vm/disks.ts";
import { DRIVE_KEYS } from "../vm/drive.ts";
import { migrationOutlook, migrationSteps, requireMovable } from "../vm/migrate.ts";
import { CDROM_ALIAS, known, VM_OPTIONS } from "../vm/options.ts";
import { hasFeature } from "../vm/snapshot.ts";
import { fullStatus, liveStatus } from "../vm/status.ts";
import { requireConvertible, templateSteps } from "../vm/template.ts";
import { guestRoutes } from "./guest.ts";
import { rootOnly } from "./power.ts";
import { type ApiCall, type Later, type Method, route } from "./route.ts";
import { snapshotRoutes } from "./snapshots.ts";
import { vmDiskRoutes } from "./vm-disks.ts";

const AT = "/nodes/:node/qemu/:vmid";
const whole: Property = { type: "integer", optional: true, minimum: 0 };

const CREATE: Properties = {
  ...VM_OPTIONS,
  cdrom: CDROM_ALIAS,
  vmid: VMID,
  archive: OPTIONAL_TEXT,
  bwlimit: whole,
  force: OPTIONAL_BOOLEAN,
  "ha-managed": OPTIONAL_BOOLEAN,
  "import-working-storage": { ...STORAGE, optional: true },
  "live-restore": OPTIONAL_BOOLEAN,
  pool: OPTIONAL_TEXT,
  start: OPTIONAL_BOOLEAN,
  storage: { ...STORAGE, optional: true },
  unique: OPTIONAL_BOOLEAN,
};

const CLONE: Properties = {
  newid: VMID,
  name: { type: "string", optional: true, format: dnsName },
  description: OPTIONAL_TEXT,
  pool: OPTIONAL_TEXT,
  snapname: OPTIONAL_TEXT,
  storage: { ...STORAGE, optional: true },
  format: { type: "string", optional: true, enum: ["raw", "qcow2", "vmdk"] },
  full: OPTIONAL_BOOLEAN,
  target: { ...NODE, optional: true },
  bwlimit: whole,
};

const MIGRATE: Properties = {
  target: NODE,
  online: OPTIONAL_BOOLEAN,
  force: OPTIONAL_BOOLEAN,
  "with-local-disks": OPTIONAL_BOOLEAN,
  "with-conntrack-state": OPTIONAL_BOOLEAN,
  targetstorage: OPTIONAL_TEXT,
  bwlimit: whole,
  migration_network: OPTIONAL_TEXT,
  migration_type: { type: "string", optional: true, enum: ["secure", "insecure"] },
};

function list({ lab, state, caller, node }: ApiCall): Json {
  const visible = Object.values(state.vms).filter(
    (vm) => vm.node === node && mayAt(state, caller, `/vms/${vm.vmid}`, "VM.Audit"),
  );
  return shuffled(
    lab,
    `qemu ${node}`,
    visible.map((vm) => liveStatus(lab, state, vm)),
  );
}

function create(call: ApiCall): Later {
  if (call.params.archive !== undefined) throw died("the lab does not restore backups");
  return createVm(call);
}

function destroy(call: ApiCall): Json {
  const { lab, state, caller, params, node, fault } = call;
  rootOnly(call, "skiplock");
  const vm = vmOn(state, node, Number(params.vmid));
  requireDestroyable(state, vm, params.purge === "1");
  const steps = destroySteps({
    vmid: vm.vmid,
    purge: params.purge === "1",
    unreferenced: params["destroy-unreferenced-disks"] === "1",
    skipLock: params.skiplock === "1",
  });
  return startTask(lab, { type: "qmdestroy", id: String(vm.vmid), node, by: caller, steps, fault }).upid;
}

function clone({ lab, state, caller, params, node, fault }: ApiCall): Json {
  const { name, description, pool, storage, format, target, full, snapname } = params;
  const wish: Clone = {
    vmid: Number(params.vmid),
    newid: Number(params.newid),
    ...(full !== undefined && { full: full === "1" }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(pool !== undefined && { pool }),
    ...(storage !== undefined && { storage }),
    ...(format !== undefined && { format }),
    ...(target !== undefined && target !== node && { target }),
    ...(snapname !== undefined && { snapname }),
  };
  requireCloneable(state, caller, node, wish);
  const steps = cloneSteps(vmOn(state, node, wish.vmid), wish);
  return startTask(lab, { type: "qmclone", id: String(wish.vmid), node, by: caller, steps, fault }).upid;
}

function template({ lab, state, caller, params, node, fault }: ApiCall): Json {
  const vm = vmOn(state, node, Number(params.vmid));
  const { disk } = params;
  requireConvertible(vm, disk);
  const steps = templateSteps({ vmid: vm.vmid, ...(disk !== undefined && { disk }) });
  return startTask(lab, { type: "qmtemplate", id: String(vm.vmid), node, by: caller, steps, fault }).upid;
}

function migrate(call: ApiCall): Json {
  const { lab, state, caller, params, node, fault } = call;
  rootOnly(call, "force", "migration_type", "migration_network");
  const elsewhere = params.targetstorage;
  if (elsewhere !== undefined && elsewhere !== "1")
    requirePrivileges(state, caller, `/storage/${elsewhere}`, ["Datastore.AllocateSpace"]);
  const migration = {
    vmid: Number(params.vmid),
    target: params.target as string,
    online: params.online === "1",
    withLocalDisks: params["with-local-disks"] === "1",
    ...(elsewhere !== undefined && elsewhere !== "1" && { storage: elsewhere }),
  };
  requireMovable(state, node, migration);
  const steps = migrationSteps(migration);
  return startTask(lab, { type: "qmigrate", id: String(migration.vmid), node, by: caller, steps, fault }).upid;
}

function feature({ state, node, params }: ApiCall): Json {
  const vm = vmOn(state, node, Number(params.vmid));
  const volumes = drivesOf(vm.config).flatMap(({ drive }) => volumeOf(state, node, drive) ?? []);
  const everywhere = volumes.every((volume) => volume.node === "*");
  return {
    hasFeature: hasFeature(state, vm, params.feature as string, params.snapname) ? 1 : 0,
    nodes: everywhere ? state.hosts.map(({ name }) => name) : [node],
  };
}

function status({ lab, state, node, params }: ApiCall): Json {
  return fullStatus(lab, state, vmOn(state, node, Number(params.vmid)));
}

const SUBDIRECTORIES = [
  "agent",
  "clone",
  "cloudinit",
  "config",
  "feature",
  "migrate",
  "move_disk",
  "pending",
  "resize",
  "snapshot",
  "status",
  "template",
  "unlink",
];
const disk: Property = { type: "string", enum: DRIVE_KEYS };
const AUDIT = { permission: { privilege: ["/vms/:vmid", "VM.Audit"] } } as const;

export const qemuRoutes: Method[] = [
  route("GET", "/nodes/:node/qemu", { permission: { user: "all" }, parameters: { full: OPTIONAL_BOOLEAN } }, list),
  // The lab has no containers.
  route("GET", "/nodes/:node/lxc", { permission: { user: "all" } }, () => []),
  route("POST", "/nodes/:node/qemu", { permission: { user: "all" }, parameters: (release) => known(CREATE, release) }, create),
  route("GET", AT, { permission: { user: "all" } }, () => SUBDIRECTORIES.map((subdir) => ({ subdir }))),
  route(
    "DELETE",
    AT,
    {
      permission: { privilege: ["/vms/:vmid", "VM.Allocate"] },
      parameters: { purge: OPTIONAL_BOOLEAN, "destroy-unreferenced-disks": OPTIONAL_BOOLEAN, skiplock: OPTIONAL_BOOLEAN },
    },
    destroy,
  ),
  route(
    "POST",
    `${AT}/clone`,
    {
      permission: {
        and: [
          { privilege: ["/vms/:vmid", "VM.Clone"] },
          { or: [{ privilege: ["/vms/:newid", "VM.Allocate"] }, { privilege: ["/pool/:pool", "VM.Allocate"] }] },
        ],
      },
      parameters: CLONE,
    },
    clone,
  ),
  route(
    "POST",
    `${AT}/template`,
    { permission: { privilege: ["/vms/:vmid", "VM.Allocate"] }, parameters: { disk: { ...disk, optional: true } } },
    template,
  ),
  route(
    "GET",
    `${AT}/migrate`,
    { permission: { privilege: ["/vms/:vmid", "VM.Migrate"] }, parameters: { target: OPTIONAL_TEXT } },
    ({ state, node, params }) => migrationOutlook(state, vmOn(state, node, Number(params.vmid))),
  ),
  route("POST", `${AT}/migrate`, { permission: { privilege: ["/vms/:vmid", "VM.Migrate"] }, parameters: MIGRATE }, migrate),
  route("GET", `${AT}/status`, { permission: { user: "all" } }, () => [{ subdir: "current" }, { subdir: "start" }]),
  route("GET", `${AT}/status/current`, AUDIT, status),
  route(
    "GET",
    `${AT}/feature`,
    {
      ...AUDIT,
      parameters: { feature: { type: "string", enum: ["snapshot", "clone", "copy"] }, snapname: OPTIONAL_TEXT },
    },
    feature,
  ),
  ...vmDiskRoutes,
  ...snapshotRoutes,
  ...guestRoutes,
];
