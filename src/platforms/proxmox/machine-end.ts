import type { Where } from "@talosmith/lib/errors.ts";
import { remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Deletion } from "../../engine/deletion.ts";
import type { Write } from "../../engine/step.ts";
import { deleteVm, power } from "./client/qemu.ts";
import { taskDone } from "./client/tasks.ts";
import { requireListed } from "./deletions.ts";
import { readMark } from "./mark.ts";
import { isOurs } from "./scan.ts";
import { type FoundVm, settledVm } from "./settled-vm.ts";
import type { Site } from "./site.ts";

const MINUTE = 60_000;

export interface Doomed {
  environment: string;
  cluster: string;
  name: string;
  vmid: number;
  host: string;
}

/** Powers a machine off without a shutdown and removes it, if it still carries this environment's mark. `listed`: see `removeVm`. */
export async function removeMachine(
  site: Site,
  c: Write,
  environment: string,
  name: string,
  listed: readonly Deletion[],
): Promise<void> {
  const { client, places, env } = site;
  const place = await places.find(c, environment, name);
  if (!place.machine) return;
  const doomed = { environment, cluster: env.config.cluster.name, name, vmid: place.vmid, host: place.host };
  await removeVm(site, c, doomed, listed);
  await c.until({
    name: `${name} is gone`,
    timeoutMs: MINUTE,
    poll: async () =>
      (await settledVm(client, c, place.host, place.vmid)) === "absent" ? true : { reason: "it is still listed" },
  });
  places.forget(name);
}

/** Removes a VM. `listed`: the volumes that the plan listed for deletion; a volume attached since then stops the removal, even at the last moment. */
export async function removeVm(site: Site, c: Write, doomed: Doomed, listed: readonly Deletion[]): Promise<void> {
  const { client } = site;
  const { vmid, host, name } = doomed;
  const key = `vm ${vmid}`;
  const vm = await removable(site, c, doomed, listed);
  if (!vm) return;
  if (vm.running) {
    const what = `stop ${name}`;
    c.say("switching off");
    const upid = await c.mutate({ key, what }, () => power(client, host, vmid, "stop", { "overrule-shutdown": 1 }, c));
    await taskDone(client, c, upid, what, 5 * MINUTE);
    if (!(await removable(site, c, doomed, listed))) return;
  }
  const what = `remove machine ${name}`;
  c.say("removing");
  const upid = await c.mutate({ key, what }, () => deleteVm(client, host, vmid, c));
  await taskDone(client, c, upid, what, 10 * MINUTE);
}

/** Reads the VM again, and fails unless it still has this environment's mark and only volumes that the plan listed; undefined when it is gone. */
async function removable(site: Site, c: Write, doomed: Doomed, listed: readonly Deletion[]): Promise<FoundVm | undefined> {
  const { vmid, host, name, environment, cluster } = doomed;
  const vm = await settledVm(site.client, c, host, vmid);
  if (vm === "absent") return undefined;
  if (vm === "stuck" || !isOurs(readMark(vm.config.next.description), vmid, environment, cluster)) {
    throw remoteError("NOT_OURS", {
      message: `Unable to remove VM ${vmid} on ${host}: it is no longer ${name}`,
      hint: "check it in the Proxmox UI; nothing was changed",
    });
  }
  await requireListed(site, c, name, vm, listed);
  return vm;
}

/** The error for a protected machine: by the config, or in Proxmox. */
export function protectionOf(site: Site, name: string, vm: FoundVm): TalosmithError | undefined {
  const { env } = site;
  const isWished = env.config.nodes.some((node) => node.name === name && node.protection);
  if (!isWished && vm.config.next.protection !== "1") return undefined;
  const where: Where | undefined = isWished ? env.where(["nodes", name, "protection"]) : undefined;
  const config = env.config.nodes.some((node) => node.name === name);
  return userError("PROTECTED", {
    message: `Unable to remove machine ${name}: it is protected`,
    detail: isWished ? "the config says protection: true" : `VM ${vm.vmid} on ${vm.host} has Proxmox's protection switched on`,
    hint: isWished
      ? `set protection: false on ${name}, run the following, then this command again:  ${ownCommand("up", env.shown)}`
      : config
        ? `run the following, which switches it off as the config says, then this command again:  ${ownCommand("up", env.shown)}`
        : `to allow its removal, on ${vm.host}:  qm set ${vm.vmid} --protection 0`,
    ...(where && { where }),
  });
}
