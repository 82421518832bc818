import { holderOf } from "../addresses.ts";
import { textAt } from "../config/machine-config.ts";
import { localEtcd } from "../etcd/cluster.ts";
import { partitionsOf, systemDisk } from "../resources/partitions.ts";
import { type Machine, talosState } from "../state.ts";
import { minorOf } from "../versions.ts";
import { type Called, configOf } from "./caller.ts";
import type { Expected } from "./expected-node.ts";
import * as kubernetes from "./kubernetes-checks.ts";

/** undefined when it is met, else the reason why not. */
type Assertion = (called: Called, nodes: readonly Expected[]) => string | undefined;

export const SKIP = "SKIP";

const MINUTE = 60_000;

interface HealthCheck {
  /** The name that Talos uses. */
  name: string;
  /** Time limit of a single check, before 1.13. */
  limitMs: number;
  assertion: Assertion;
}

/** The checks in Talos's order, with its names. */
export const CHECKS: readonly HealthCheck[] = [
  check("etcd to be healthy", (called, nodes) => serviceHealthy(called, planes(nodes), "etcd")),
  check("etcd members to be consistent across nodes", etcdConsistent),
  check("etcd members to be control plane nodes", etcdOnControlPlanes),
  check("apid to be ready", (called, nodes) => nodes.map((node) => unreachable(called, node)).find((why) => why !== undefined)),
  check("all nodes memory sizes", memorySizes),
  check("all nodes disk sizes", diskSizes),
  check("no diagnostics", () => undefined, MINUTE),
  check("kubelet to be healthy", (called, nodes) => serviceHealthy(called, planes(nodes), "kubelet")),
  check("all nodes to finish boot sequence", booted),
  check("all k8s nodes to report", kubernetes.nodesReported),
  check("all control plane static pods to be running", staticPods),
  check("all control plane components to be ready", kubernetes.controlPlaneReady),
  check("all k8s nodes to report ready", withNetwork(kubernetes.nodesReady), 10 * MINUTE),
  check("kube-proxy to report ready", kubernetes.proxyReady),
  check("coredns to report ready", withNetwork(kubernetes.dnsReady)),
  check("all k8s nodes to report schedulable", kubernetes.nodesSchedulable),
];

function check(name: string, assertion: Assertion, limitMs = 5 * MINUTE): HealthCheck {
  return { name, assertion, limitMs };
}

/** From 1.13 on, checks that need a pod network are skipped when there is no CNI. */
function withNetwork(assertion: Assertion): Assertion {
  return (called, nodes) => {
    const config = configOf(called);
    const none = config !== undefined && textAt(config, "cluster.network.cni.name") === "none";
    return none && minorOf(called.boot.system.version) >= 13 ? SKIP : assertion(called, nodes);
  };
}

function planes(nodes: readonly Expected[]): readonly Expected[] {
  return nodes.filter(({ role }) => role === "controlplane");
}

function machineAt(called: Called, { address }: Expected): Machine | undefined {
  const key = holderOf(called.lab, address);
  const machine = key === undefined ? undefined : talosState(called.lab).machines[key];
  return machine?.boot?.api === "certificates" ? machine : undefined;
}

function unreachable(called: Called, node: Expected): string | undefined {
  if (machineAt(called, node)) return undefined;
  const dialling = `dial tcp ${node.address}:50000: connect: no route to host`;
  return `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: ${dialling}"`;
}

/** Several errors as Go's multierror prints them. */
function together(problems: readonly string[]): string | undefined {
  if (problems.length === 0) return undefined;
  const count = problems.length === 1 ? "1 error occurred" : `${problems.length} errors occurred`;
  return `${count}:\n${problems.map((problem) => `\t* ${problem}\n`).join("")}\n`;
}

function serviceHealthy(called: Called, nodes: readonly Expected[], id: string): string | undefined {
  const found = nodes.flatMap((node) => {
    const service = machineAt(called, node)?.boot?.services[id];
    return service ? [{ address: node.address, service }] : [];
  });
  if (found.length !== nodes.length) return `expected a response with ${nodes.length} node(s), got ${found.length}`;
  return together(
    found.flatMap(({ address, service }) => {
      const last = service.events.at(-1);
      if (!last) return [`${address}: no events recorded yet for service "${id}"`];
      if (last.state !== "Running")
        return [`${address}: service "${id}" not in expected state "Running": current state [${last.state}] ${last.message}`];
      return service.healthy === true ? [] : [`${address}: service is not healthy: ${id}`];
    }),
  );
}

function membersSeenBy(called: Called, node: Expected) {
  const machine = machineAt(called, node);
  return machine && localEtcd(called.lab, machine)?.cluster.members;
}

function etcdConsistent(called: Called, nodes: readonly Expected[]): string | undefined {
  const lists = planes(nodes).map((node) => ({ node, members: membersSeenBy(called, node) ?? [] }));
  const [first] = lists;
  if (!first) return "no messages returned";
  for (const { node, members } of lists) {
    if (members.length !== first.members.length)
      return `${node.address}: expected to have ${first.members.length} members, got ${members.length}`;
    const odd = members.find((member) => !first.members.some((one) => one.id === member.id && one.learner === member.learner));
    if (odd) return `${node.address}: found unexpected etcd member ${odd.name}`;
  }
  return undefined;
}

function etcdOnControlPlanes(called: Called, nodes: readonly Expected[]): string | undefined {
  const [first] = planes(nodes);
  const members = (first && membersSeenBy(called, first)) ?? [];
  const own = planes(nodes).map(({ address }) => address);
  if (members.every(({ address }) => own.includes(address))) return undefined;
  const list = (texts: readonly string[]) => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
  return `etcd member ips ${list(members.map(({ address }) => address))} are not subset of control plane node ips ${list(own)}`;
}

/** Talos's minimum memory in MiB, minus the kernel's share. */
const MEMORY = { controlplane: 1848 - 150, worker: 1024 - 150 };

function memorySizes(called: Called, nodes: readonly Expected[]): string | undefined {
  return together(
    nodes.flatMap((node) => {
      const actual = Math.floor((machineAt(called, node)?.hardware.memoryMiB ?? 0) * 0.975);
      if (actual >= MEMORY[node.role]) return [];
      const least = `expected at least ${MEMORY[node.role]} MiB, actual ${actual} MiB`;
      return [`node ${JSON.stringify(node.address)} does not meet memory requirements: ${least}`];
    }),
  );
}

const GiB = 1024 ** 3;
/** 6 GiB, minus the other partitions. */
const LEAST_DISK = 6 * GiB - (2000 + 100 + 1 + 10) * 1024 ** 2;

function diskSizes(called: Called, nodes: readonly Expected[]): string | undefined {
  return together(
    nodes.flatMap((node) => {
      const machine = machineAt(called, node);
      const other = machine?.boot && { ...called, machine, boot: machine.boot };
      const disk = other && systemDisk(other);
      const volume = other && disk && partitionsOf(other, disk).find(({ id }) => id === "EPHEMERAL");
      if (volume && volume.size >= LEAST_DISK) return [];
      const text = (bytes: number) => `${(bytes / GiB).toFixed(1)} GiB`;
      const sizes = `expected at least ${text(LEAST_DISK)}, actual ${text(volume?.size ?? 0)}`;
      const location = JSON.stringify(`/dev/${disk?.device ?? ""}${volume?.index ?? ""}`);
      return [`ephemeral partition ${location} for node ${JSON.stringify(node.address)} is too small, ${sizes}`];
    }),
  );
}

function booted(called: Called, nodes: readonly Expected[]): string | undefined {
  const stages = new Map<string, string[]>();
  for (const node of nodes) {
    const stage = machineAt(called, node)?.boot?.stage ?? "unknown";
    if (stage !== "running") stages.set(stage, [...(stages.get(stage) ?? []), node.address].sort());
  }
  if (stages.size === 0) return undefined;
  return `nodes are not running: ${[...stages].map(([stage, addresses]) => `${stage}: [${addresses.join(" ")}]`).join(", ")}`;
}

function staticPods(called: Called, nodes: readonly Expected[]): string | undefined {
  const without = planes(nodes).find((node) => machineAt(called, node)?.boot?.staticPods !== "running");
  if (!without) return undefined;
  const pods = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"].map((name) => `kube-system/${name}`);
  return `missing static pods on node ${without.address}: [${pods.join(" ")}]`;
}
