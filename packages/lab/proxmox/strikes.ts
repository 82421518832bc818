import { userError } from "@talosmith/lib/errors.ts";
import type { Lab, Strike } from "../kernel/kernel.ts";
import { changeCertificate } from "./certificate.ts";
import { BOOT_HOST, setHostOnline } from "./host-power.ts";
import { CLIENT, CLIENT_TOKEN } from "./initial.ts";
import { type Content, type Host, hostNamed, type ProxmoxState, proxmoxState, type StorageDefinition, type Vm } from "./state.ts";
import { kindOf } from "./storage/kinds.ts";
import { isOn, usageOf } from "./storage/storages.ts";
import { addVolume, freeDiskName } from "./storage/volumes.ts";
import { nameOf } from "./vm/config.ts";
import { beforeChange } from "./vm/seen.ts";

/** The locks that tasks leave in a machine's config when they die (docs/facts/proxmox.md#locks). */
const LOCKS = ["backup", "clone", "create", "migrate", "rollback", "snapshot", "snapshot-delete", "suspended", "suspending"];
const LONGEST_OUTAGE_S = 30 * 86_400;
/** Id of a deleted machine whose disk was left behind. */
const FORMER_MACHINE = 9104;

/** Strikes on a Proxmox cluster, and changes made by its administrators. */
export const strikes: Record<string, Strike> = {
  "power-loss": {
    title: "a Proxmox host loses power: its tasks end without a result, locks in machines' configs stay, its machines are off",
    args: ["host", "seconds?"],
    run: (lab, [name = "", seconds]) => {
      const host = named(lab, name);
      const wait = seconds === undefined ? undefined : wholeSeconds(seconds);
      setHostOnline(lab, host.name, false);
      if (wait !== undefined) lab.schedule(BOOT_HOST, wait * 1000, { host: host.name });
    },
  },
  "power-loss-during": {
    title: "a Proxmox host loses power during its next task of a type (qmcreate, qmclone, vzdump …)",
    args: ["host", "task"],
    run: (lab, [name = "", task = ""]) => {
      proxmoxState(lab).fallsDuring = { host: named(lab, name).name, task };
    },
  },
  "power-on": {
    title: "a Proxmox host gets its power back, and starts the machines with onboot",
    args: ["host"],
    run: (lab, [name = ""]) => setHostOnline(lab, named(lab, name).name, true),
  },
  "certificate-changed": {
    title: "a Proxmox host gets a new TLS certificate",
    args: ["host"],
    run: (lab, [name = ""]) => changeCertificate(lab, named(lab, name).name),
  },
  "token-gone": {
    title: "the API token is deleted",
    args: [],
    run: (lab) => {
      delete proxmoxState(lab).access.users[CLIENT]?.tokens[CLIENT_TOKEN];
    },
  },
  "right-removed": {
    title: "a privilege is removed from every role",
    args: ["privilege"],
    run: (lab, [privilege = ""]) => {
      const { roles } = proxmoxState(lab).access;
      const known = [...new Set(Object.values(roles).flat())].sort();
      if (!known.includes(privilege))
        throw senseless(`no role has the privilege ${privilege}`, `choose among ${known.join(", ")}`);
      for (const [name, privileges] of Object.entries(roles)) roles[name] = privileges.filter((one) => one !== privilege);
    },
  },
  "storage-full": {
    title: "a storage is full: a deleted machine has left a disk there",
    args: ["host", "storage"],
    run: (lab, [host = "", id = ""]) => fill(lab, named(lab, host), storageOn(lab, host, id)),
  },
  "storage-content": {
    title: "a storage no longer accepts a content type (import, images, iso …)",
    args: ["storage", "content"],
    run: (lab, [id = "", content = ""]) => {
      const storage = storageNamed(proxmoxState(lab), id);
      if (!storage.content.includes(content as Content))
        throw senseless(`${id} does not accept ${content}`, `it accepts ${storage.content.join(", ")}`);
      storage.content = storage.content.filter((one) => one !== content);
    },
  },
  "storage-gone": {
    title: "a host can no longer reach a storage",
    args: ["host", "storage"],
    run: (lab, [host = "", id = ""]) => {
      const storage = storageOn(lab, named(lab, host).name, id);
      storage.unreachable = [...new Set([...(storage.unreachable ?? []), host])];
    },
  },
  "vm-locked": {
    title: "a dead task has left its lock in a machine's config",
    args: ["machine", "lock"],
    run: (lab, [which = "", lock = ""]) => {
      const vm = machine(proxmoxState(lab), which);
      if (!LOCKS.includes(lock)) throw senseless(`there is no lock ${lock}`, `choose among ${LOCKS.join(", ")}`);
      beforeChange(lab, proxmoxState(lab), vm);
      vm.config.lock = lock;
    },
  },
};

function senseless(why: string, hint: string) {
  return userError("LAB_STRIKE", { message: `Unable to run the strike: ${why}`, hint });
}

function named(lab: Lab, name: string): Host {
  const state = proxmoxState(lab);
  const host = hostNamed(state, name);
  if (!host) throw senseless(`there is no host ${name}`, `choose among ${state.hosts.map((one) => one.name).join(", ")}`);
  return host;
}

function wholeSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= 0 && seconds <= LONGEST_OUTAGE_S) return seconds;
  throw senseless(`${text} is not a number of seconds`, `pass a whole number up to ${LONGEST_OUTAGE_S}`);
}

function storageNamed(state: ProxmoxState, id: string): StorageDefinition {
  const storage = state.storages.find((one) => one.id === id);
  if (!storage) throw senseless(`there is no storage ${id}`, `choose among ${state.storages.map((one) => one.id).join(", ")}`);
  return storage;
}

function storageOn(lab: Lab, host: string, id: string): StorageDefinition {
  const storage = storageNamed(proxmoxState(lab), id);
  if (!isOn(storage, host)) throw senseless(`${host} has no storage ${id}`, `it is on ${storage.nodes?.join(", ")}`);
  return storage;
}

/** Finds a machine by its id or its name. */
function machine(state: ProxmoxState, which: string): Vm {
  const all = Object.values(state.vms);
  const vm = all.find((one) => String(one.vmid) === which || nameOf(one) === which);
  if (!vm)
    throw senseless(
      `there is no machine ${which}`,
      `choose among ${all.map((one) => `${one.vmid} (${nameOf(one)})`).join(", ") || "none: create a machine first"}`,
    );
  return vm;
}

function fill(lab: Lab, host: Host, storage: StorageDefinition): void {
  const state = proxmoxState(lab);
  const { avail } = usageOf(state, storage, host.name);
  if (avail === 0) return;
  const format = kindOf(storage).formats[0] ?? "raw";
  const name = freeDiskName(state, storage, host.name, FORMER_MACHINE, format);
  addVolume(lab, storage, host.name, { name, content: "images", format, size: avail, written: avail, vmid: FORMER_MACHINE });
}
