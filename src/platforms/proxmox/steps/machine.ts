import type { ProxmoxNodeConfig } from "../../../config/config.ts";
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
} from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import type { Json } from "../../../lib/json.ts";
import { formatMiB } from "../../../lib/units.ts";
import { RESTARTS } from "../../../talos/health/etcd-quorum.ts";
import type { MachineFacts } from "../../platform.ts";
import { changesOf, keptAsIs } from "../compare.ts";
import { backInEtcd, mayRestart } from "../etcd-restart.ts";
import { factsOf, type Machine, specOf } from "../machine.ts";
import { createMachine, reconcile, removeMachine, type Source } from "../machine-work.ts";
import type { Site } from "../site.ts";

export const machineStepId = (node: string) => `machine/${node}`;

/** One node's VM: there, as the config says, and switched on. `home`: the host it is made on, if it has to be made. */
export function machine(
  site: Site,
  node: ProxmoxNodeConfig,
  home: string,
  source: Source | undefined,
): Step<Machine, MachineFacts> {
  const { env, places, strangers } = site;
  const id = machineStepId(node.name);
  const subject = `machine ${node.name}`;
  const specFor = (c: Read) => specOf(env, node, known(c, environmentId));
  const vmidField = (c: Read): Known<Json> => {
    const environment = c.get(environmentId);
    return node.vmid ?? (isLater(environment) ? environment : (places.assigned(node.name)?.vmid ?? { later: id }));
  };
  return step({
    id,
    stage: "provision",
    title: subject,
    needs: [environmentId, ...(source ? [source.ref as Ref<unknown>] : [])],
    lanes: (changes) => lanesOf(changes, home, node),
    observe: async (c) => {
      const spec = specFor(c);
      const { machine } = await places.find(c, spec.environment, node.name);
      if (machine) return { is: "present", actual: machine, owner: "us" };
      const stranger = await strangers.with(c, spec.mac, node.name);
      return stranger ? { is: "unreadable", why: stranger } : { is: "absent" };
    },
    plan: (seen, c) => {
      if ("is" in seen && seen.is === "present") return changesOf(id, subject, specFor(c), seen.actual);
      return [
        { id, step: id, verb: "create", subject, fields: createFields(env.config.network.prefix, node, home, vmidField(c)) },
      ];
    },
    notes: (seen, c) => {
      const stuck = places.assigned(node.name)?.stuck ?? [];
      const left = stuck.map((vm) => ({
        level: "warn" as const,
        code: "STUCK_VM",
        message: `VM ${vm.vmid} on ${vm.host} was left half-made by a task that died; stepped around`,
        hint: `as root on ${vm.host}:  qm unlock ${vm.vmid} && qm destroy ${vm.vmid}`,
      }));
      return seen.is === "present" ? [...left, ...keptAsIs(specFor(c), seen.actual)] : left;
    },
    guard: async (changes, c) => (changes[0]?.verb === "restart" ? mayRestart(site, node, c) : []),
    apply: async (changes, c) => {
      const spec = specFor(c);
      const verb = changes[0]?.verb;
      if (verb === "replace") await removeMachine(site, c, spec.environment, node.name);
      if (verb === "create" || verb === "replace") await createMachine(site, c, spec, source);
      await reconcile(site, c, spec);
      // Whoever is next in the lane looks at this one's etcd, too; it must not find it on its way up.
      if (verb === "restart") await backInEtcd(site, node, c);
    },
    output: (actual) => factsOf(node, actual),
  });
}

function createFields(prefix: number, node: ProxmoxNodeConfig, host: string, vmid: Known<Json>): Field[] {
  const to: Record<string, Known<Json>> = {
    address: `${node.ip}/${prefix}`,
    cores: `${node.cores} cores`,
    memory: formatMiB(node.memoryMiB),
    disk: `${node.diskGiB} GiB`,
    host,
    vmid,
  };
  return Object.entries(to).map(([path, value]) => ({ path, from: null, to: value }));
}

/** New disks are written a few at a time; machines that run are restarted one after the other. */
function lanesOf(changes: readonly Change[], home: string, node: ProxmoxNodeConfig) {
  const verb = changes[0]?.verb;
  if (verb === "create" || verb === "replace") return [{ key: `storage ${home}:${node.storage}`, limit: 2 }];
  return verb === "restart" ? [RESTARTS] : [];
}
