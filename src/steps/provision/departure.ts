import { TalosmithError } from "@talosmith/lib/errors.ts";
import { type Change, type Field, type Finding, NotYet, type Read, type Step, step, type Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { cordon } from "../../kubernetes/cordon.ts";
import { drain, drainable, podName, podsOn } from "../../kubernetes/drain.ts";
import type { Node } from "../../kubernetes/objects.ts";
import type { Owned } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { givenTime, RESTARTS } from "../../talos/health/etcd-quorum.ts";
import { isBootstrapped, leaveEtcd, mayLeaveEtcd, memberOf } from "./etcd-departure.ts";
import type { Leavers } from "./leavers.ts";

export const departureStep = (node: string) => `departure/${node}`;

export interface DepartureSpec {
  owned: Owned;
  leavers: Leavers;
  talos: TalosNodes;
  kube: KubernetesClient;
}

/** What the cluster still has of a node that goes. */
interface Remains {
  /** Its Node object. */
  node: Node | undefined;
  /** Its kubelet is heard of: what runs on it can be ended in good order. */
  answers: boolean;
  /** Pods that nobody would make again. */
  unmanaged: readonly string[];
  /** Its id in etcd. */
  member: bigint | undefined;
}

/**
 * A node takes leave of a living cluster before its machine goes: its pods move, etcd no longer counts on it, Kubernetes forgets it. A cluster that
 * never was has nothing to leave; and a machine that is silent is not waited for.
 */
export function departure({ owned, leavers, talos, kube }: DepartureSpec): Step<Remains, void> {
  const { name } = owned;
  const id = departureStep(name);
  const subject = `node ${name}`;
  const change = (fields: Field[]): Change[] => [{ id, step: id, verb: "delete", subject, fields, needsConsent: name }];
  return step({
    id,
    stage: "provision",
    title: `departure of node ${name}`,
    // One control plane at a time, whatever is done to it.
    lanes: () => [owned.role === "controlplane" ? RESTARTS : { key: "departures", limit: 1 }],
    observe: async (c) => {
      const ready = await c.shared("kubernetes is ready", () => kube.ready(c.signal));
      if (ready !== true) {
        if (await isBootstrapped({ owned, leavers, talos }, c)) throw new NotYet({ later: id }, ready.reason);
        return { is: "absent" };
      }
      try {
        return { is: "present", actual: await remainsOf({ owned, leavers, talos, kube }, c), owner: "us" };
      } catch (error) {
        if (!(error instanceof TalosmithError && error.transient)) throw error;
        throw new NotYet({ later: id }, error.detail ?? error.message);
      }
    },
    plan: (seen) => {
      if ("later" in seen) return change([{ path: "cluster", from: seen, to: null }]);
      if (seen.is !== "present") return [];
      const { node, member } = seen.actual;
      const fields: Field[] = [
        ...(node ? [{ path: "node", from: "drained, and taken out of Kubernetes", to: null }] : []),
        ...(member !== undefined ? [{ path: "etcd", from: "leaves etcd", to: null }] : []),
      ];
      return fields.length === 0 ? [] : change(fields);
    },
    notes: (seen) => (seen.is === "present" ? notesOn(name, seen.actual) : []),
    guard: async (changes, c) => [
      ...(await loneliness({ owned, leavers, talos, kube }, c)),
      ...(changes[0]?.fields.some((field) => field.path === "etcd")
        ? await givenTime(`etcd can do without ${name}`, c, () => mayLeaveEtcd({ owned, leavers, talos }, c))
        : []),
    ],
    apply: async (_, c) => {
      const remains = await remainsOf({ owned, leavers, talos, kube }, c);
      if (remains.node) await vacate(kube, remains, c);
      if (remains.member !== undefined) await leaveEtcd({ owned, leavers, talos }, remains.member, c);
      if (remains.node) await forget(kube, remains.node, c);
    },
    output: () => undefined,
  });
}

async function remainsOf({ owned, leavers, talos, kube }: DepartureSpec, c: Read): Promise<Remains> {
  const node = await kube.get<Node>({ apiVersion: "v1", kind: "Node", name: owned.name }, c.signal);
  const ready = node?.status?.conditions?.find(({ type }) => type === "Ready");
  const answers = owned.state === "running" && ready?.status !== "Unknown";
  const pods = node && answers ? await podsOn(kube, owned.name, c.signal) : [];
  return {
    node,
    answers,
    unmanaged: drainable(pods).unmanaged.map(podName),
    member: owned.role === "controlplane" ? await memberOf({ owned, leavers, talos }, c) : undefined,
  };
}

function notesOn(name: string, { node, answers, unmanaged }: Remains): Finding[] {
  if (!node) return [];
  if (!answers)
    return [
      {
        level: "warn",
        code: "NOT_DRAINED",
        message: `${name} is silent: it is not drained. Kubernetes makes its pods anew elsewhere once it is gone, those without a controller excepted`,
      },
    ];
  return unmanaged.map((pod) => ({ level: "warn", code: "UNMANAGED_POD", message: `${name}: ${unmanagedWords(pod)}` }));
}

const unmanagedWords = (pod: string) => `pod ${pod} has no controller: nobody would make it again elsewhere`;

/** What kubectl drain refuses without --force. */
async function loneliness(spec: DepartureSpec, c: Read): Promise<Finding[]> {
  const { unmanaged } = await remainsOf(spec, c);
  return unmanaged.map((pod) => ({
    level: "fail",
    code: "UNMANAGED_POD",
    message: unmanagedWords(pod),
    hint: `keep what you need of it, then:  kubectl delete pod -n ${pod.replace("/", " ")}`,
  }));
}

async function vacate(kube: KubernetesClient, { node, answers }: Remains, c: Write): Promise<void> {
  const { name = "" } = node?.metadata ?? {};
  if (!answers) return c.say("it is silent: not drained");
  if (node?.spec?.unschedulable !== true) await cordon(kube, name, c);
  c.say("draining");
  await drain(kube, name, c);
}

async function forget(kube: KubernetesClient, { metadata: { name, uid } }: Node, c: Write): Promise<void> {
  c.say("taking it out of Kubernetes");
  await c.mutate({ key: `node ${name}`, what: `delete the Node object of ${name}` }, async () => {
    await kube.delete({ apiVersion: "v1", kind: "Node", name }, { ...(uid !== undefined && { uid }) }, c.signal);
    return name;
  });
}
