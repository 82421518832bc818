import { isTransient, remoteError } from "@talosmith/lib/errors.ts";
import { type Change, type Field, type Finding, NotYet, type Read, type Step, step, type Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { drainable, podName, podsOn } from "../../kubernetes/drain.ts";
import { localVolumesOn } from "../../kubernetes/local-volumes.ts";
import type { Node } from "../../kubernetes/objects.ts";
import type { Maintenance } from "../../maintenance/maintenance.ts";
import { leaveBehind } from "../../maintenance/out-of-service.ts";
import { requireSnapshot, type Snapshots } from "../../maintenance/snapshot.ts";
import { isReady, type ServiceNode } from "../../maintenance/standing.ts";
import type { Owned } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { givenTime } from "../../talos/health/etcd-quorum.ts";
import { isBootstrapped, leaveEtcd, mayLeaveEtcd, memberOf } from "./etcd-departure.ts";
import type { Leavers } from "./leavers.ts";

export const departureStep = (node: string) => `departure/${node}`;

export interface DepartureSpec {
  owned: Owned;
  leavers: Leavers;
  talos: TalosNodes;
  kube: KubernetesClient;
  maintenance: Maintenance;
  snapshots: Snapshots;
}

/** The remains of a departing node in the cluster. */
interface Remains {
  /** Its Node object. */
  node: Node | undefined;
  /** It runs and is Ready, so its pods can be moved. */
  isServing: boolean;
  /** Pods without a controller, which would not be created again. */
  unmanaged: readonly string[];
  /** Kubernetes volumes whose only copy is on it. */
  volumes: readonly string[];
  /** Its id in etcd. */
  member: bigint | undefined;
}

/**
 * Removes a node from a running cluster before its machine is removed: drains it, removes it from etcd and deletes its Node object. Without a cluster
 * nothing is done; a silent machine is not waited for.
 */
export function departure(spec: DepartureSpec): Step<Remains, void> {
  const { owned, leavers, talos, kube, maintenance, snapshots } = spec;
  const { name, address: ip } = owned;
  const node: ServiceNode = { name, ip, role: owned.role === "controlplane" ? "controlplane" : "worker" };
  const isReplaced = leavers.replaced.includes(owned);
  const id = departureStep(name);
  const subject = `node ${name}`;
  const change = (fields: Field[], loses: readonly string[] = []): Change[] => [
    { id, step: id, verb: "delete", subject, fields, needsConsent: name, interrupts: name, ...(loses.length > 0 && { loses }) },
  ];
  return step({
    id,
    stage: "provision",
    title: `departure of node ${name}`,
    observe: async (c) => {
      const ready = await c.shared("kubernetes is ready", () => kube.ready(c.signal));
      if (ready !== true) {
        if (await isBootstrapped({ owned, leavers, talos }, c)) throw new NotYet({ later: id }, ready.reason);
        return { is: "absent" };
      }
      try {
        return { is: "present", actual: await remainsOf(spec, c), owner: "us" };
      } catch (error) {
        if (!isTransient(error)) throw error;
        throw new NotYet({ later: id }, error.detail ?? error.message);
      }
    },
    plan: (seen) => {
      if ("later" in seen) return change([{ path: "cluster", from: seen, to: null }]);
      if (seen.is !== "present") return [];
      const { node, member } = seen.actual;
      const fields: Field[] = [
        ...(node ? [{ path: "node", from: "drained and removed from Kubernetes", to: null }] : []),
        ...(member !== undefined ? [{ path: "etcd", from: "leaves etcd", to: null }] : []),
      ];
      return fields.length === 0 ? [] : change(fields, seen.actual.volumes);
    },
    notes: (seen) => (seen.is === "present" ? notesOn(name, seen.actual) : []),
    guard: async (changes, c) => [
      ...(await unmanagedPods(spec, c)),
      ...(changes[0]?.fields.some((field) => field.path === "etcd")
        ? [
            ...(await givenTime(`etcd can do without ${name}`, c, () => mayLeaveEtcd({ owned, leavers, talos }, c))),
            ...(await requireSnapshot(snapshots, `the departure of ${name}`, c)),
          ]
        : []),
    ],
    apply: async (_, c) => {
      const remains = await remainsOf(spec, c);
      if (remains.member !== undefined) await snapshots.take(c);
      if (remains.isServing) await maintenance.takeOut(node, c);
      else if (remains.node) await leaveBehind(kube, remains.node, owned.state === "stopped", c);
      if (remains.member !== undefined) {
        requireQuorum(name, await mayLeaveEtcd({ owned, leavers, talos }, c));
        await leaveEtcd({ owned, leavers, talos }, remains.member, c);
      }
      if (remains.node) await forget(kube, remains.node, c);
      if (!isReplaced) maintenance.release(node);
    },
    output: () => undefined,
  });
}

async function remainsOf({ owned, leavers, talos, kube }: DepartureSpec, c: Read): Promise<Remains> {
  const node = await kube.get<Node>({ apiVersion: "v1", kind: "Node", name: owned.name }, c.signal);
  const isServing = owned.state === "running" && node !== undefined && isReady(node);
  const pods = isServing ? await podsOn(kube, owned.name, c.signal) : [];
  return {
    node,
    isServing,
    unmanaged: drainable(pods).unmanaged.map(podName),
    volumes: node ? await localVolumesOn(kube, owned.name, c.signal) : [],
    member: owned.role === "controlplane" ? await memberOf({ owned, leavers, talos }, c) : undefined,
  };
}

function notesOn(name: string, { node, isServing, unmanaged }: Remains): Finding[] {
  if (!node) return [];
  if (!isServing)
    return [
      {
        level: "warn",
        code: "NOT_DRAINED",
        message: `${name} is down: it is not drained. Kubernetes starts its pods on other nodes once it is gone, except pods without a controller`,
      },
    ];
  return unmanaged.map((pod) => ({ level: "warn", code: "UNMANAGED_POD", message: `${name}: ${unmanagedWords(pod)}` }));
}

const unmanagedWords = (pod: string) => `pod ${pod} has no controller: it would not be created again on another node`;

/** Pods that kubectl drain refuses without --force. */
async function unmanagedPods(spec: DepartureSpec, c: Read): Promise<Finding[]> {
  const { unmanaged } = await remainsOf(spec, c);
  return unmanaged.map((pod) => ({
    level: "fail",
    code: "UNMANAGED_POD",
    message: unmanagedWords(pod),
    hint: `save the data you need, then:  kubectl delete pod -n ${pod.replace("/", " ")}`,
  }));
}

/** A drain takes minutes, so the conditions are checked again after it. */
function requireQuorum(name: string, findings: readonly Finding[]): void {
  const [first] = findings;
  if (!first) return;
  throw remoteError(first.code, {
    message: `Unable to remove ${name} from etcd: ${first.message}`,
    ...(first.hint !== undefined && { hint: first.hint }),
  });
}

async function forget(kube: KubernetesClient, { metadata: { name, uid } }: Node, c: Write): Promise<void> {
  c.say("removing it from Kubernetes");
  await c.mutate({ key: `node ${name}`, what: `delete the Node object of ${name}` }, async () => {
    await kube.delete({ apiVersion: "v1", kind: "Node", name }, { ...(uid !== undefined && { uid }) }, c.signal);
    return name;
  });
}
