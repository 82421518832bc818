import type { Json } from "@talosmith/lib/json.ts";
import { startJob } from "../jobs/job.ts";
import { startTask } from "../jobs/upid.ts";
import { whenDone, whenDoneWithin } from "../jobs/waiting.ts";
import { DIGEST, OPTIONAL_BOOLEAN, OPTIONAL_TEXT } from "../parameters/formats.ts";
import type { Properties } from "../parameters/property.ts";
import { shuffled } from "../shuffle.ts";
import { digestOf, readConfig, readConfigOf, readPending, vmOn } from "../vm/config.ts";
import { CDROM_ALIAS, known, LIST_OF_OPTIONS, VM_OPTIONS } from "../vm/options.ts";
import { snapshotOf } from "../vm/snapshot.ts";
import { readUpdate, updateSteps } from "../vm/update.ts";
import { rootOnly } from "./power.ts";
import { type ApiCall, type Later, type Method, route } from "./route.ts";

const AT = "/nodes/:node/qemu/:vmid";
const AUDIT = { privilege: ["/vms/:vmid", "VM.Audit"] } as const;

/** Any of these privileges allows the call; each option is checked separately. */
const CONFIGURE = {
  anyPrivilege: [
    "/vms/:vmid",
    "VM.Config.Disk",
    "VM.Config.CDROM",
    "VM.Config.CPU",
    "VM.Config.Memory",
    "VM.Config.Network",
    "VM.Config.HWType",
    "VM.Config.Options",
    "VM.Config.Cloudinit",
  ],
} as const;

const UPDATE: Properties = {
  ...VM_OPTIONS,
  cdrom: CDROM_ALIAS,
  delete: LIST_OF_OPTIONS,
  revert: LIST_OF_OPTIONS,
  digest: DIGEST,
  force: OPTIONAL_BOOLEAN,
  skiplock: OPTIONAL_BOOLEAN,
};

const DISCARD = [{ become: "disk.discard", with: null }];

/** PUT: the caller waits for the result. */
function updateNow(call: ApiCall): Later {
  rootOnly(call, "skiplock");
  const { lab, state, node, caller, fault } = call;
  const steps = updateSteps(state, readUpdate(call));
  return whenDone(lab, startJob(lab, { node, by: caller, steps, undo: DISCARD, fault }));
}

/** POST: a task makes the change; with `background_delay` the caller waits for it for a while. */
function updateInBackground(call: ApiCall): Json | Later {
  rootOnly(call, "skiplock");
  const { lab, state, node, caller, params, fault } = call;
  const update = readUpdate(call);
  const { upid } = startTask(lab, {
    type: "qmconfig",
    id: String(update.vmid),
    node,
    by: caller,
    steps: updateSteps(state, update),
    undo: DISCARD,
    fault,
  });
  if (params.background_delay === undefined) return upid;
  return whenDoneWithin(lab, upid, Number(params.background_delay) * 1000, `failed to update VM ${update.vmid}: `);
}

function read({ state, node, params }: ApiCall): Json {
  const vm = vmOn(state, node, Number(params.vmid));
  if (params.snapshot === undefined) return readConfig(vm, params.current === "1");
  return { ...readConfigOf(snapshotOf(vm, params.snapshot).config), digest: digestOf(vm) };
}

function pending({ lab, state, node, params }: ApiCall): Json {
  return shuffled(lab, `pending ${params.vmid}`, readPending(vmOn(state, node, Number(params.vmid))));
}

export const configRoutes: Method[] = [
  route("GET", `${AT}/config`, { permission: AUDIT, parameters: { current: OPTIONAL_BOOLEAN, snapshot: OPTIONAL_TEXT } }, read),
  route("PUT", `${AT}/config`, { permission: CONFIGURE, parameters: (release) => known(UPDATE, release) }, updateNow),
  route(
    "POST",
    `${AT}/config`,
    {
      permission: CONFIGURE,
      parameters: (release) => ({
        ...known(UPDATE, release),
        background_delay: { type: "integer", optional: true, minimum: 1, maximum: 30 },
        "import-working-storage": OPTIONAL_TEXT,
      }),
    },
    updateInBackground,
  ),
  route("GET", `${AT}/pending`, { permission: AUDIT }, pending),
];
