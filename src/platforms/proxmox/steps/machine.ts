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
import { livingSpec } from "../guest-agent.ts";
import { type IpConfig, ipConfigOf } from "../ip-config.ts";
import { factsOf, type Machine, type MachineSpec, specOf } from "../machine.ts";
import { createMachine, reconcile, removeMachine, type Source } from "../machine-work.ts";
import type { Site } from "../site.ts";

export const machineStepId = (node: string) => `machine/${node}`;

interface Observed {
  machine: Machine;
  /** What it should be, as long as it lives. */
  spec: MachineSpec;
}

/** One node's VM: there, as the config says, and switched on. `home`: the host it is made on, if it has to be made. */
export function machine(
  site: Site,
  node: ProxmoxNodeConfig,
  home: string,
  source: Source | undefined,
): Step<Observed, MachineFacts> {
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
  return step({
    id,
    stage: "provision",
    title: subject,
    needs: [environmentId, ...(source ? [source.ref as Ref<unknown>] : [])],
    lanes: (changes) => lanesOf(changes, home, node),
    observe: async (c) => {
      const spec = specFor(c);
      const { machine } = await places.find(c, spec.environment, node.name);
      if (machine) return { is: "present", actual: { machine, spec: await livingSpec(site, c, spec, machine) }, owner: "us" };
      const stranger = await strangers.with(c, spec.mac, node.name);
      return stranger ? { is: "unreadable", why: stranger } : { is: "absent" };
    },
    plan: (seen, c) => {
      if ("is" in seen && seen.is === "present") return changesOf(id, subject, seen.actual.spec, seen.actual.machine);
      return [
        {
          id,
          step: id,
          verb: "create",
          subject,
          fields: createFields(ipConfigOf(env.config.network, node), node, home, vmidField(c)),
        },
      ];
    },
    notes: (seen) => {
      const stuck = places.assigned(node.name)?.stuck ?? [];
      const left = stuck.map((vm) => ({
        level: "warn" as const,
        code: "STUCK_VM",
        message: `VM ${vm.vmid} on ${vm.host} was left half-made by a task that died; stepped around`,
        hint: `as root on ${vm.host}:  qm unlock ${vm.vmid} && qm destroy ${vm.vmid}`,
      }));
      return seen.is === "present" ? [...left, ...keptAsIs(seen.actual.spec, seen.actual.machine)] : left;
    },
    guard: async (changes, c) => (changes[0]?.verb === "restart" ? mayRestart(site, node, c) : []),
    apply: async (changes, c) => {
      const verb = changes[0]?.verb;
      const made = verb === "create" || verb === "replace";
      const spec = made ? specFor(c) : await wantedNow(c);
      if (verb === "replace") await removeMachine(site, c, spec.environment, node.name);
      if (made) await createMachine(site, c, spec, source);
      await reconcile(site, c, spec);
      // Whoever is next in the lane looks at this one's etcd, too; it must not find it on its way up.
      if (verb === "restart") await backInEtcd(site, node, c);
    },
    output: ({ machine }) => factsOf(node, machine),
  });
}

function createFields({ ip, ip6 }: IpConfig, node: ProxmoxNodeConfig, host: string, vmid: Known<Json>): Field[] {
  const to: Record<string, Known<Json>> = {
    address: [ip, ip6].filter((one) => one !== undefined).join(", "),
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
