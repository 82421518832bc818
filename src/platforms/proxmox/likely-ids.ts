import type { World } from "@talosmith/lib/world/world.ts";
import { pastRuns } from "../../environment/runs.ts";
import type { VmSummary } from "./client/qemu.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { vmidsFor } from "./identity.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";

/** How many of a node's ids an unreadable VM may have: it has one of the first, unless most of them were taken. */
const LIKELY_IDS = 20;
/** How many runs a task can outlive. */
const RECENT_RUNS = 10;

/** Whether an unreadable VM may be the node's machine: its name and id are enough to prevent a second one. */
export function mayBe(vm: Pick<VmSummary, "vmid" | "name">, environment: string, node: ProxmoxNodeConfig): boolean {
  if (vm.name === node.name || vm.vmid === node.vmid) return true;
  const ids = vmidsFor(environment, node.name);
  return Array.from({ length: LIKELY_IDS }, () => ids.next().value).includes(vm.vmid);
}

/**
 * Whether a VM that a task is creating may be a machine of this environment. It has no name and no mark yet, only its id: that of a node in the
 * config, or one that a run in this folder has requested, perhaps for a node that the config no longer contains.
 */
export function creationTest(world: World, env: ProxmoxEnvironment, environment: string): (vmid: number) => boolean {
  const known = new Map<number, boolean>();
  const wasRequested = (vmid: number) =>
    pastRuns(world, env.folder)
      .slice(0, RECENT_RUNS)
      .some((run) => run.events().some((event) => event.type === "mutation.intent" && event.key === `vm ${vmid}`));
  return (vmid) => {
    const answer = known.get(vmid) ?? (env.config.nodes.some((node) => mayBe({ vmid }, environment, node)) || wasRequested(vmid));
    known.set(vmid, answer);
    return answer;
  };
}
