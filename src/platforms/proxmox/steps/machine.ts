import type { Json } from "@talosmith/lib/json.ts";
import { type Deletion, deletionsIn } from "../../../engine/deletion.ts";
import {
  type Change,
  type Field,
  isLater,
  type Known,
  known,
  type Read,
  type Ref,
  type Step,
  step,
  type Write,
} from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import { isOnlyReturn, type Maintenance, returning } from "../../../maintenance/maintenance.ts";
import type { MachineFacts } from "../../platform.ts";
import { changesOf, replacement } from "../compare.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { createdFields } from "../created-fields.ts";
import { deletionsOf } from "../deletions.ts";
import { livingSpec } from "../guest-agent.ts";
import { keptAsIs } from "../kept-as-is.ts";
import { lockNotes, unlocked } from "../locked-vm.ts";
import { factsOf, type Machine, type MachineSpec, specOf } from "../machine.ts";
import { protectionOf, removeMachine } from "../machine-end.ts";
import { configureMachine, createMachine, type Source, startMachine, startNewMachine } from "../machine-work.ts";
import { hostOffline } from "../offline.ts";
import type { Site } from "../site.ts";

export const machineStepId = (node: string) => `machine/${node}`;

interface Observed {
  machine: Machine;
  /** The wanted state of the existing machine. */
  spec: MachineSpec;
  /** The volumes that are deleted when it is replaced. */
  deletes: readonly Deletion[];
}

/** A machine whose host is unreachable: it must not be taken for absent. */
interface Hidden {
  unreachable: string;
}

/** The VM of a node: exists, matches the config and is running. `home`: the host for a new one. */
export function machine(
  site: Site,
  node: ProxmoxNodeConfig,
  home: string,
  source: Source | undefined,
  maintenance: Maintenance,
): Step<Observed | Hidden, MachineFacts> {
  const { env, places, strangers } = site;
  const id = machineStepId(node.name);
  const subject = `machine ${node.name}`;
  const specFor = (c: Read) => specOf(env, node, known(c, environmentId));
  const wantedNow = async (c: Read) => {
    const spec = specFor(c);
    const { machine } = await places.find(c, spec.environment, node.name);
    return machine ? livingSpec(site, c, spec, machine) : spec;
  };
  const vmidField = (c: Read): Known<Json> => {
    const environment = c.get(environmentId);
    return node.vmid ?? (isLater(environment) ? environment : (places.assigned(node.name)?.vmid ?? { later: id }));
  };
  const change = async (changes: readonly Change[], c: Write): Promise<void> => {
    const verb = changes[0]?.verb;
    const made = verb === "create" || verb === "replace";
    const spec = made ? specFor(c) : await wantedNow(c);
    if (verb === "replace") await removeMachine(site, c, spec.environment, node.name, deletionsIn(changes));
    const complete = made ? await createMachine(site, c, spec, source) : undefined;
    const prepare = () => configureMachine(site, c, spec);
    if (verb === "restart" || maintenance.isRestarting(node.name)) {
      const start = () => startMachine(site, c, spec);
      const act = isOnlyReturn(changes) ? undefined : start;
      return maintenance.restart(node, c, { prepare: async () => void (await prepare()), act });
    }
    if (complete) return startNewMachine(site, c, spec, complete);
    await startMachine(site, c, spec, await prepare());
  };
  return step<Observed | Hidden, MachineFacts>({
    id,
    stage: "provision",
    title: subject,
    needs: [environmentId, ...(source ? [source.ref as Ref<unknown>] : [])],
    lanes: (changes) => lanesOf(changes, home, node, source?.method === "template" && env.config.image.clone === "linked"),
    observe: async (c) => {
      const spec = specFor(c);
      const { machine, host, unreachable } = await places.find(c, spec.environment, node.name);
      if (unreachable) return { is: "present", actual: { unreachable: host }, owner: "us" };
      if (machine) {
        const isReplaced = replacement(spec, machine).length > 0;
        const refused = isReplaced ? protectionOf(site, node.name, machine) : undefined;
        if (refused) return { is: "unreadable", why: refused };
        const deletes = isReplaced ? await deletionsOf(site, c, machine, machine.mark) : [];
        return { is: "present", actual: { machine, spec: await livingSpec(site, c, spec, machine), deletes }, owner: "us" };
      }
      const stranger = await strangers.with(c, spec.environment, spec.macs, node.name);
      return stranger ? { is: "unreadable", why: stranger } : { is: "absent" };
    },
    plan: (seen, c) => {
      if ("is" in seen && seen.is === "present") {
        const { actual } = seen;
        if ("unreachable" in actual)
          return [{ id, step: id, verb: "update", subject, fields: offlineFields(actual.unreachable) }];
        const { spec, machine, deletes } = actual;
        const changes = changesOf(id, subject, spec, machine);
        if (changes.length === 0 && maintenance.isRestarting(node.name)) return [returning(id, subject)];
        return changes.map((change) => ({
          ...change,
          ...(change.verb === "replace" && { deletes }),
          ...(change.verb === "restart" && { interrupts: node.name }),
        }));
      }
      return [
        {
          id,
          step: id,
          verb: "create",
          subject,
          fields: [
            ...createdFields((environment) => specOf(env, node, environment), c.get(environmentId)),
            { path: "host", from: null, to: home },
            { path: "vmid", from: null, to: vmidField(c), ...(isLater(vmidField(c)) && { detail: true as const }) },
          ],
        },
      ];
    },
    notes: (seen) => {
      const stuck = places.assigned(node.name)?.stuck ?? [];
      const left = stuck.map((vm) => ({
        level: "warn" as const,
        code: "STUCK_VM",
        message: `VM ${vm.vmid} on ${vm.host} is incomplete, left by a task that died; another VM id is used`,
        hint: `as root on ${vm.host}:  qm unlock ${vm.vmid} && qm destroy ${vm.vmid}`,
      }));
      if (seen.is !== "present" || "unreachable" in seen.actual) return left;
      const { machine, spec } = seen.actual;
      return [...left, ...keptAsIs(spec, machine), ...lockNotes(node.name, machine)];
    },
    guard: async (_, c) => {
      // Observed right before this.
      const { host = home, machine, unreachable } = places.assigned(node.name) ?? {};
      if (unreachable || places.isOffline(host)) return [hostOffline(subject, host)];
      return machine ? unlocked(site, c, node.name, machine) : [];
    },
    apply: (changes, c) =>
      change(changes, c).catch((error: unknown) => {
        places.disturbed(node.name);
        throw error;
      }),
    output: (actual) => ("machine" in actual ? factsOf(node, actual.machine) : { address: node.ip }),
  });
}

function offlineFields(host: string): Field[] {
  return [{ path: "host", from: `${host} is offline`, to: `${host} answers` }];
}

/** Limits concurrency: few new disks at a time, because Proxmox locks a storage while it creates one, and one restart of a running machine at a time. */
function lanesOf(changes: readonly Change[], home: string, node: ProxmoxNodeConfig, isLinked: boolean) {
  const verb = changes[0]?.verb;
  if (verb === "create" || verb === "replace") return [{ key: `storage ${home}:${node.storage}`, limit: isLinked ? 3 : 2 }];
  return [];
}
