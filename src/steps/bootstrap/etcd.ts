import { hasCode, remoteError } from "@talosmith/lib/errors.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import type { NodeConfig } from "../../config/config.ts";
import {
  type Change,
  type Finding,
  isLater,
  NotYet,
  type Read,
  type Ref,
  type Step,
  step,
  type Write,
} from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Inventory } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { type Leavers, leaversOf } from "../provision/leavers.ts";
import { type EtcdOn, etcdOn, notJoined } from "./etcd-on.ts";
import { nodeConfigStep } from "./node-config.ts";

/** Names of the control planes whose etcd is a voting member. */
export const etcd: Ref<readonly string[]> = { step: "bootstrap/etcd" };

export interface EtcdSpec {
  env: Environment;
  talos: TalosNodes;
  found: Inventory;
}

const JOIN_LIMIT_MS = 15 * 60_000;

/**
 * Bootstraps the cluster's etcd, once in its life: only when every control plane of the config has answered, none has etcd data, and no mark records
 * an earlier bootstrap. Later control planes join by themselves, which is only waited for.
 */
export function etcdCluster({ env, talos, found }: EtcdSpec): Step<readonly string[], readonly string[]> {
  const id = etcd.step;
  const subject = `etcd of ${env.config.cluster.name}`;
  const controlPlanes = env.config.nodes.filter((node) => node.role === "controlplane");
  const names = controlPlanes.map((node) => node.name);
  const leavers = leaversOf(env, found);
  const everBefore = found.owned.some((owned) => owned.bootstrapped) && !leavers.etcdIsLost;
  const look = (c: Read) => Promise.all(controlPlanes.map((node) => etcdOn(talos, node, c.signal)));
  const change = (from: Change["fields"][number]["from"], to: string): Change[] => [
    { id, step: id, verb: "run", subject, fields: [{ path: "members", from, to }] },
  ];
  return step({
    id,
    stage: "bootstrap",
    title: subject,
    needs: controlPlanes.map((node) => ({ step: nodeConfigStep(node.name) })),
    observe: async (c) => {
      mustBeMade(c, names, found);
      const seen = await look(c);
      const members = votersOf(seen);
      if (members.length > 0) return { is: "present", actual: members, owner: "us" };
      const unclear = seen.filter((one) => one.is !== "empty");
      if (unclear.length > 0) throw new NotYet({ later: id }, unclear.map((one) => one.words).join(", "));
      if (!everBefore) return { is: "absent" };
      const waitedFor = await stillWith(talos, leavers, c);
      if (waitedFor !== undefined) throw new NotYet({ later: id }, `to be joined: ${waitedFor}`);
      return { is: "unreadable", why: dataLost(env) };
    },
    plan: (seen) => {
      const all = names.join(", ");
      if ("later" in seen) return change(found.there.size === 0 ? "none" : seen, all);
      if (seen.is !== "present") return change("none", all);
      const missing = names.filter((name) => !seen.actual.includes(name));
      return missing.length === 0 ? [] : change(seen.actual.join(", "), all);
    },
    guard: async (changes, c) => (changes[0]?.fields[0]?.from === "none" ? mayBootstrap(await look(c), everBefore) : []),
    apply: async (changes, c) => {
      const [first] = controlPlanes;
      if (changes[0]?.fields[0]?.from === "none" && first) await bootstrap(env, talos, first, c);
      await c.until({
        name: `every control plane is a member of etcd`,
        timeoutMs: JOIN_LIMIT_MS,
        poll: async (read) => {
          const missing = notJoined(await look(read));
          return missing === undefined ? true : { reason: missing };
        },
      });
    },
    output: (members) => members,
  });
}

/** While planning: new control planes join by themselves, so the members at this step's turn are not known yet. */
function mustBeMade(c: Read, names: readonly string[], found: Inventory): void {
  for (const name of names) {
    const config = c.get({ step: nodeConfigStep(name) });
    if (!found.there.has(name) && isLater(config)) throw new NotYet({ later: nodeConfigStep(name) });
  }
}

/** A control plane that will be removed may hold the data for those of the config. */
async function stillWith(talos: TalosNodes, { removed, replaced }: Leavers, c: Read): Promise<string | undefined> {
  const before = [...removed, ...replaced].filter((owned) => owned.bootstrapped);
  const seen = await Promise.all(before.map(({ name, address }) => etcdOn(talos, { name, ip: address }, c.signal)));
  return seen.find((one) => one.is === "member" || one.is === "data")?.words;
}

function votersOf(seen: readonly EtcdOn[]): string[] {
  return [...new Set(seen.flatMap((one) => (one.is === "member" ? one.voters : [])))].sort();
}

/** Checked again right before the call, which must never be made twice. */
export function mayBootstrap(seen: readonly EtcdOn[], everBefore: boolean): Finding[] {
  const fail = (message: string, hint: string): Finding => ({ level: "fail", code: "ETCD_BOOTSTRAP", message, hint });
  if (everBefore)
    return [
      fail("etcd was bootstrapped before, as a mark records; doing it again would create a second, empty cluster", recover()),
    ];
  const withData = seen.filter((one) => one.is === "member" || one.is === "data");
  const unclear = seen.filter((one) => one.is === "silent" || one.is === "starting");
  return [
    ...withData.map((one) =>
      fail(`${one.node} has etcd data: the cluster exists, control planes join it`, "run the same command again"),
    ),
    ...unclear.map((one) =>
      fail(
        `etcd is not bootstrapped while a control plane has not answered (${one.words}): it might hold the cluster's data`,
        `bring ${one.node} back and run the same command again; or remove it from the config if it is gone for good`,
      ),
    ),
  ];
}

const recover = () =>
  `restore etcd from a snapshot (talosctl bootstrap --recover-from); or, if the data may be lost:\n${["down", "up"].map((name) => `  ${ownCommand(name, typedEnvironment())}`).join("\n")}`;

async function bootstrap(env: Environment, talos: TalosNodes, node: NodeConfig, c: Write): Promise<void> {
  c.say(`bootstrapping etcd on ${node.name}`);
  await c.mutate({ key: `etcd ${env.config.cluster.name}`, what: `bootstrap etcd on ${node.name}` }, async () => {
    try {
      await talos.node(node.ip).bootstrap(c.signal);
    } catch (error) {
      // The response of an earlier call was lost: it took effect, which the next observation proves.
      if (!hasCode(error, "TALOS_ALREADY_BOOTSTRAPPED")) throw error;
    }
    return node.name;
  });
}

function dataLost(env: Environment) {
  return remoteError("ETCD_DATA_LOST", {
    message: `etcd of ${env.config.cluster.name} was bootstrapped before, but no control plane has its data any more`,
    hint: recover(),
  });
}
