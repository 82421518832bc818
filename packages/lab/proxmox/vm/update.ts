import type { Json } from "@talosmith/lib/json.ts";
import { durations } from "../durations.ts";
import type { JobStep } from "../jobs/job.ts";
import { CONFIG_WAIT, configLock } from "../jobs/lock.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died } from "../refusal.ts";
import type { ApiCall } from "../routes/route.ts";
import { hostNamed, type ProxmoxState, type Vm } from "../state.ts";
import { memoryOf, requireDigest, requireUnlocked, vmOn } from "./config.ts";
import { diskSteps } from "./disk-steps.ts";
import { checkDrives, requireStorageAccess } from "./drive-parameters.ts";
import { completeNics, newUuid } from "./identity.ts";
import { requireNetworks, requireOptionRights } from "./option-rights.ts";
import { stripped } from "./option-values.ts";
import { VM_OPTIONS } from "./options.ts";

export interface Update {
  vmid: number;
  set: Record<string, string>;
  remove: string[];
  revert: string[];
  force: boolean;
  skipLock: boolean;
  digest?: string;
}

const CALL_ONLY = [
  "node",
  "vmid",
  "delete",
  "revert",
  "digest",
  "force",
  "skiplock",
  "background_delay",
  "import-working-storage",
];

/** Reads the changes of a config call, with all checks that are possible before a worker starts (docs/facts/proxmox.md#pending-changes). */
export function readUpdate({ lab, state, caller, params, node }: ApiCall): Update {
  const vmid = Number(params.vmid);
  let set = Object.fromEntries(Object.entries(params).filter(([key]) => !CALL_ONLY.includes(key)));
  if (set.cdrom !== undefined) {
    set.ide2 = set.cdrom;
    delete set.cdrom;
  }
  const revert = splitList(params.revert);
  const remove = splitList(params.delete).map((key) => (key === "cdrom" ? "ide2" : key));
  if (params.delete === undefined && params.revert === undefined && Object.keys(set).length === 0)
    throw died("no options specified");
  checkNames(set, remove, revert);
  const emptied = set.description !== undefined && set.description.trimEnd() === "";
  if (emptied) remove.push("description");
  set = stripped(set, hostNamed(state, node));
  checkDrives(state, set);
  completeNics(lab, vmid, set);
  if (set.vmgenid === "1") set.vmgenid = newUuid(lab, `vmgenid ${vmid}`);
  const wish = { state, caller, vmid, pool: undefined };
  requireOptionRights(wish, remove);
  requireOptionRights(wish, Object.keys(set));
  requireStorageAccess(state, caller, vmid, set);
  requireNetworks(state, caller, set);
  const update = {
    vmid,
    set,
    remove,
    revert,
    force: params.force === "1",
    skipLock: params.skiplock === "1",
    ...(params.digest !== undefined && { digest: params.digest }),
  };
  checkUpdate(vmOn(state, node, vmid), update);
  return update;
}

function checkNames(set: Record<string, string>, remove: readonly string[], revert: readonly string[]): void {
  const known = (key: string) => key in VM_OPTIONS;
  for (const key of revert) {
    if (!known(key)) throw badParameters({ revert: `unknown option '${key}'` });
    if (set[key] !== undefined) throw badParameters({ delete: `you can't use '-${key}' and -revert ${key}' at the same time` });
  }
  for (const key of remove) {
    if (set[key] !== undefined) throw badParameters({ delete: `you can't use '-${key}' and -delete ${key}' at the same time` });
    if (revert.includes(key))
      throw badParameters({ revert: `you can't use '-delete ${key}' and -revert ${key}' at the same time` });
    if (!known(key)) throw badParameters({ delete: `unknown option '${key}'` });
  }
}

/** Checked in the call, and again with the lock held. */
export function checkUpdate(vm: Vm, { set, digest, skipLock }: Update): void {
  requireDigest(vm, digest);
  if (!skipLock) requireUnlocked(vm);
  if (set.memory !== undefined || set.balloon !== undefined) {
    const memory = memoryOf({ ...vm.config, ...vm.pending, ...set });
    const balloon = Number(set.balloon ?? vm.pending.balloon ?? vm.config.balloon ?? 0);
    if (balloon > memory) throw died("balloon value too large (must be smaller than assigned memory)");
  }
}

export function updateSteps(state: ProxmoxState, update: Update): JobStep[] {
  return [
    { lock: configLock(update.vmid), waitMs: CONFIG_WAIT },
    { after: durations.config },
    { become: "vm.updating", with: asJson(update) },
    ...diskSteps(state, update.vmid, update.set),
    { become: "vm.updated", with: asJson(update) },
  ];
}

function asJson(update: Update): Json {
  return { ...update };
}
