import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { Read, Write } from "../../engine/step.ts";
import type { Owned, PowerControl } from "../platform.ts";
import { power, vmStatus } from "./client/qemu.ts";
import { isUnreachable } from "./client/refusal.ts";
import { taskDone } from "./client/tasks.ts";
import { unlocked } from "./locked-vm.ts";
import { instanceOf, type Machine } from "./machine.ts";
import { startVm } from "./machine-work.ts";
import { readMark } from "./mark.ts";
import { hostOffline } from "./offline.ts";
import { isOurs } from "./scan.ts";
import { settledVm } from "./settled-vm.ts";
import type { Site } from "./site.ts";

const MINUTE = 60_000;
/** More than Talos needs to stop pods that ignore the shutdown. */
const SHUTDOWN_S = 180;
/** High availability acts some time after the task that asked for it. */
const FOLLOWS_MS = 5 * MINUTE;

/** Switches VMs on and off through Proxmox. Each is read again right before, and left untouched when it no longer has this environment's mark. */
export function powerControl(site: Site): PowerControl {
  const { client } = site;

  const follows = (c: Write, { name }: Owned, { host, vmid }: Machine, on: boolean) =>
    c.until({
      name: `${name} is switched ${on ? "on" : "off"}`,
      timeoutMs: FOLLOWS_MS,
      poll: async () =>
        (await vmStatus(client, host, vmid, c.signal)).running === on
          ? true
          : { reason: `VM ${vmid} is ${on ? "stopped" : "running"}` },
    });

  return {
    state: async (owned, c) => {
      const vm = await find(site, owned, c);
      return typeof vm === "string" ? vm : vm.running ? "on" : "off";
    },
    guard: async (owned, c) => {
      const vm = await find(site, owned, c);
      if (vm === "unknown") return [hostOffline(owned.subject, String(owned.detail.host))];
      return vm === "gone" ? [] : unlocked(site, c, owned.name, vm);
    },
    on: async (owned, c) => {
      const vm = await existing(site, owned, c);
      await startVm(site, c, vm.host, vm.vmid, owned.name);
      await follows(c, owned, vm, true);
    },
    off: async (owned, c) => {
      const vm = await existing(site, owned, c);
      if (vm.running) await shutDown(site, owned.name, vm, c);
      await follows(c, owned, vm, false);
    },
    restartsItself: async (owned, c) => {
      const vm = await find(site, owned, c);
      return typeof vm !== "string" && (await vmStatus(client, vm.host, vm.vmid, c.signal)).managed;
    },
  };
}

/** Shuts a VM down by ACPI, and powers it off when it does not react within the limit. */
async function shutDown({ client }: Site, name: string, { host, vmid }: Machine, c: Write): Promise<void> {
  const key = `vm ${vmid}`;
  const what = `shut down ${name}`;
  c.say(`Proxmox shuts it down (limit ${SHUTDOWN_S} s)`);
  const upid = await c.mutate({ key, what }, () => power(client, host, vmid, "shutdown", { timeout: SHUTDOWN_S }, c));
  try {
    await taskDone(client, c, upid, what, SHUTDOWN_S * 1000 + MINUTE);
  } catch (error) {
    if (!isGuestTimeout(error)) throw error;
    c.say(`it did not shut down within ${SHUTDOWN_S} s: Proxmox switches it off`);
    const stopped = await c.mutate({ key, what: `switch off ${name}` }, () => power(client, host, vmid, "stop", {}, c));
    await taskDone(client, c, stopped, `switch off ${name}`, 5 * MINUTE);
  }
}

/** "VM quit/powerdown failed - got timeout" (docs/facts/proxmox.md#power) */
function isGuestTimeout(error: unknown): boolean {
  return error instanceof TalosmithError && typeof error.cause === "string" && error.cause.includes("got timeout");
}

async function existing(site: Site, owned: Owned, c: Read): Promise<Machine> {
  const vm = await find(site, owned, c);
  if (typeof vm !== "string") return vm;
  const why = vm === "gone" ? "its VM does not exist any more" : `its host ${String(owned.detail.host)} does not answer`;
  throw remoteError("MACHINE_GONE", {
    message: `Unable to switch ${owned.name} on or off: ${why}`,
    hint: "run the same command again",
  });
}

/** Finds the same VM, also after a migration. */
async function find(site: Site, owned: Owned, c: Read): Promise<Machine | "unknown" | "gone"> {
  const vm = await lookFor(site, owned, c);
  if (typeof vm === "string" || owned.instance === undefined) return vm;
  return instanceOf(vm) === owned.instance ? vm : "gone";
}

async function lookFor({ env, places, client }: Site, owned: Owned, c: Read): Promise<Machine | "unknown" | "gone"> {
  const { vmid, host, environment } = owned.detail as { vmid?: number; host?: string; environment?: string };
  if (vmid === undefined || host === undefined || environment === undefined) return "gone";
  if (env.config.nodes.some(({ name }) => name === owned.name)) {
    const { machine, unreachable } = await places.find(c, environment, owned.name);
    return unreachable ? "unknown" : (machine ?? "gone");
  }
  if (await places.isStillOffline(c, host)) return "unknown";
  try {
    const vm = await settledVm(client, c, host, vmid);
    const mark = typeof vm === "string" ? undefined : readMark(vm.config.next.description);
    return typeof vm !== "string" && isOurs(mark, vmid, environment, env.config.cluster.name) ? { ...vm, mark } : "gone";
  } catch (error) {
    if (isUnreachable(error)) return "unknown";
    throw error;
  }
}
