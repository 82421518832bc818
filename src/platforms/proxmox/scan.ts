import { remoteError } from "@talosmith/lib/errors.ts";
import type { Read } from "../../engine/step.ts";
import type { ProxmoxClient } from "./client/client.ts";
import { hosts } from "./client/nodes.ts";
import { type VmSummary, vmConfig, vms, vmsOfCluster } from "./client/qemu.ts";
import { isUnreachable } from "./client/refusal.ts";
import { type RunningTask, runningTasks } from "./client/tasks.ts";
import type { Machine } from "./machine.ts";
import { type Mark, readMark } from "./mark.ts";

/** All VMs of a Proxmox, with this environment's machines among them. */
export interface Scan {
  /** By node name. */
  machines: Map<string, Machine>;
  /** VMs whose mark names another VM: copies of a machine that talosmith created. */
  copies: VmSummary[];
  /** All VMs and containers by id. */
  all: Map<number, VmSummary>;
  /** Hosts that are unreachable now. */
  offline: ReadonlySet<string>;
  /** VMs on such hosts with this environment's tag: they exist, but nothing else is known of them. */
  unreadable: VmSummary[];
}

/** Whether a mark is this VM's own, and of this environment. */
export function isOurs(mark: Mark | undefined, vmid: number, environment: string, cluster: string): mark is Mark {
  return mark !== undefined && mark.environment === environment && mark.cluster === cluster && mark.vm === vmid;
}

/** `mayBeOurs`: whether a VM that is being created may be this environment's, by its id. */
export async function scan(
  client: ProxmoxClient,
  c: Read,
  environment: string,
  cluster: string,
  mayBeOurs: (vmid: number) => boolean,
): Promise<Scan> {
  const { all, offline } = await settledWorld(client, c, environment, mayBeOurs);
  const machines = new Map<string, Machine>();
  const copies: VmSummary[] = [];
  const tagged = [...all.values()].filter((vm) => vm.kind === "vm" && vm.tags.includes(environment));
  const unreadable = tagged.filter((vm) => offline.has(vm.host));
  const candidates = tagged.filter((vm) => !offline.has(vm.host));
  await Promise.all(
    candidates.map(async (vm) => {
      const config = await vmConfig(client, vm.host, vm.vmid, c.signal);
      const mark = readMark(config.next.description);
      if (!isOurs(mark, vm.vmid, environment, cluster)) {
        // A VM that is being created has no mark yet; the step that needs its id reads it again.
        if (mark) copies.push(vm);
        return;
      }
      const other = machines.get(mark.node);
      if (other) throw twice(mark.node, other, vm);
      machines.set(mark.node, { ...vm, config, mark });
    }),
  );
  return { machines, copies: copies.sort((a, b) => a.vmid - b.vmid), all, offline, unreadable };
}

/** All VMs: the hosts' own lists, which are current, on top of the cluster's list, which also contains those on offline hosts. */
export async function everything(client: ProxmoxClient, c: Read): Promise<Map<number, VmSummary>> {
  return (await wholeWorld(client, c)).all;
}

type Everything = Pick<Scan, "all" | "offline">;

async function wholeWorld(client: ProxmoxClient, c: Read): Promise<Everything> {
  const members = await c.shared("hosts", () => hosts(client, c.signal));
  const offline = new Set(members.filter((host) => !host.online).map((host) => host.name));
  const online = members.filter((host) => host.online).map((host) => host.name);
  const [cluster, ...lists] = await Promise.all([
    vmsOfCluster(client, c.signal),
    ...online.map((host) => unlessUnreachable(vms(client, host, c.signal), () => void offline.add(host))),
  ]);
  const all = newestOf(cluster, lists);
  // Only the cluster's list contains pools, and it is current in that.
  for (const { vmid, pool } of cluster) {
    const vm = all.get(vmid);
    if (vm && pool !== undefined) all.set(vmid, { ...vm, pool });
  }
  return { all, offline };
}

function newestOf(cluster: readonly VmSummary[], lists: readonly VmSummary[][]): Map<number, VmSummary> {
  return new Map([...cluster, ...lists.flat()].map((vm) => [vm.vmid, vm]));
}

/** Returns nothing for an unreachable host: a host counts as online for some seconds after it stopped responding. */
async function unlessUnreachable<T>(asking: Promise<T[]>, gone: () => void): Promise<T[]> {
  try {
    return await asking;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    gone();
    return [];
  }
}

const TASK_LIMIT_MS = 15 * 60_000;

/**
 * Waits for running tasks of an interrupted run, then returns all VMs. Tasks are read before the lists, so that the lists contain the results of
 * finished ones.
 */
async function settledWorld(
  client: ProxmoxClient,
  c: Read,
  environment: string,
  mayBeOurs: (vmid: number) => boolean,
): Promise<Everything> {
  let seen: Everything = { all: new Map(), offline: new Set() };
  await c.until({
    name: "tasks of an earlier run are done",
    timeoutMs: TASK_LIMIT_MS,
    poll: async () => {
      const members = await c.shared("hosts", () => hosts(client, c.signal));
      const asked = members
        .filter((host) => host.online)
        .map((host) => unlessUnreachable(runningTasks(client, host.name, c.signal), () => {}));
      // A clone's task does not name the VM that it creates.
      const isForeign = ({ type, id }: RunningTask) => type === "qmcreate" && !mayBeOurs(Number(id));
      const running = (await Promise.all(asked)).flat().filter((task) => !isForeign(task));
      seen = await wholeWorld(client, c);
      const { all } = seen;
      const busy = running.find(
        (task) => task.owner === client.identity && (isMaking(task) || all.get(Number(task.id))?.tags.includes(environment)),
      );
      return busy ? { reason: `${busy.type} of VM ${busy.id} is running` } : true;
    },
  });
  return seen;
}

/** Whether a task creates a VM. Such a VM has no tags and no mark yet, so it may be ours; a clone's task even names its source instead. */
function isMaking(task: RunningTask): boolean {
  return task.type === "qmcreate" || task.type === "qmclone";
}

function twice(node: string, one: VmSummary, other: VmSummary) {
  return remoteError("MACHINE_TWICE", {
    message: `Unable to tell which VM is ${node}: two carry its mark`,
    detail: `VM ${one.vmid} on ${one.host} and VM ${other.vmid} on ${other.host}`,
    hint: "look at both in the Proxmox UI, remove the wrong one (or the talosmith line in its notes), and run the command again",
  });
}
