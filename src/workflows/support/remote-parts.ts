import { messageOf } from "@talosmith/lib/errors.ts";
import type { NodeConfig } from "../../config/config.ts";
import { EventBus } from "../../engine/bus.ts";
import type { Event } from "../../engine/event.ts";
import type { Environment } from "../../environment/environment.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { KubernetesObject, Node, Pod } from "../../kubernetes/objects.ts";
import { definitionOf } from "../../platforms/all.ts";
import type { SupportPart } from "../../platforms/definition.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import type { Access } from "../access.ts";
import { diagnose } from "../doctor.ts";
import { showStatus } from "../status.ts";
import type { SupportSession } from "./part.ts";

/** The largest number of nodes that are asked, control planes first. */
const MOST_NODES = 12;
const KERNEL_LINES = 300;
const LOG_LINES = 100;
const EVENTS = 200;

/** Parts that the platform, the nodes and the cluster are asked for. */
export async function remoteParts(session: SupportSession, env: Environment, access: Access): Promise<SupportPart[]> {
  const order = [...env.config.nodes].sort((a, b) => Number(a.role === "worker") - Number(b.role === "worker"));
  return [
    {
      name: "doctor.json",
      about: "the findings of doctor",
      read: (signal) => eventsOf(session, signal, (own) => diagnose(own, env.shown)),
    },
    {
      name: "status.json",
      about: "the output of status",
      read: (signal) => eventsOf(session, signal, (own) => showStatus(own, env.shown)),
    },
    ...order.slice(0, MOST_NODES).map((node) => nodePart(access, node)),
    ...(order.length > MOST_NODES ? [leftOut(order.slice(MOST_NODES))] : []),
    {
      name: "kubernetes.txt",
      about: "nodes, pods and events of Kubernetes",
      read: (signal) => cluster(access.kubernetes, signal),
    },
    ...((await definitionOf(env.config).supportParts?.(session.world, env)) ?? []),
  ];
}

/** Runs another command and returns its events, which are not shown. */
async function eventsOf(
  session: SupportSession,
  signal: AbortSignal,
  command: (session: SupportSession) => Promise<number>,
): Promise<string> {
  const bus = new EventBus(session.world.clock, session.redactor);
  const events: Event[] = [];
  bus.listen((event) => events.push(event));
  await command({ ...session, bus, signal });
  return `${JSON.stringify(events, null, 2)}\n`;
}

function nodePart({ talos }: Access, { name, ip }: NodeConfig): SupportPart {
  return {
    name: `nodes/${name}.txt`,
    about: "services and last kernel messages of the nodes",
    read: async (signal) => {
      const asked = await talos.ask(ip, (node) => nodeWords(node, signal), signal);
      if (asked.is === "ours") return asked.answer;
      throw new Error(`${ip} is ${asked.is}${"why" in asked ? `: ${asked.why}` : ""}`);
    },
  };
}

function leftOut(nodes: readonly NodeConfig[]): SupportPart {
  return {
    name: "nodes/others",
    about: "",
    read: () => Promise.reject(new Error(`only ${MOST_NODES} nodes are asked; not ${nodes.map(({ name }) => name).join(", ")}`)),
  };
}

async function nodeWords(node: TalosNode, signal: AbortSignal): Promise<string> {
  const { version, platform } = await node.version(signal);
  const services = await node.services(signal);
  const state = ({ id, state, healthy, message }: (typeof services)[number]) =>
    `${id.padEnd(16)} ${state.padEnd(12)} ${healthy === undefined ? "-" : healthy ? "healthy" : "not healthy"}  ${message}`;
  const unwell = services.filter((one) => one.healthy === false || one.state === "Failed");
  const sections = [
    `Talos ${version} on ${platform}`,
    `# services\n${services.map(state).join("\n")}`,
    ...(await Promise.all(
      unwell.map(
        async ({ id }) => `# log of ${id}\n${await lastLines(node.logs({ service: id, tail: LOG_LINES }, signal), LOG_LINES)}`,
      ),
    )),
    `# kernel\n${await lastLines(node.dmesg({}, signal), KERNEL_LINES)}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

/** The last lines of a log; an error while reading becomes its last line. */
async function lastLines(lines: AsyncIterable<string>, count: number): Promise<string> {
  const last: string[] = [];
  try {
    for await (const line of lines) {
      last.push(line);
      if (last.length > count) last.shift();
    }
  } catch (error) {
    last.push(`(the log ends here: ${messageOf(error)})`);
  }
  return last.join("\n");
}

interface ClusterEvent extends KubernetesObject {
  type?: string;
  reason?: string;
  message?: string;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  involvedObject?: { kind?: string; namespace?: string; name?: string };
}

async function cluster(kubernetes: KubernetesClient, signal: AbortSignal): Promise<string> {
  const version = await kubernetes.version(signal);
  const [nodes, pods, events] = await Promise.all([
    kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, signal),
    kubernetes.list<Pod>({ apiVersion: "v1", kind: "Pod" }, signal),
    kubernetes.list<ClusterEvent>({ apiVersion: "v1", kind: "Event" }, signal),
  ]);
  const last = events.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1)).slice(-EVENTS);
  const sections = [
    `Kubernetes ${version}`,
    `# nodes\n${nodes.map(nodeLine).join("\n")}`,
    `# pods\n${pods.map(podLine).join("\n")}`,
    `# the last ${last.length} events\n${last.map(eventLine).join("\n")}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

function nodeLine({ metadata, spec, status }: Node): string {
  const conditions = status?.conditions?.map(
    ({ type, status: is, message }) => `${type}=${is}${is === "Unknown" ? ` (${message})` : ""}`,
  );
  const cordoned = spec?.unschedulable ? " cordoned" : "";
  return `${metadata.name} ${status?.nodeInfo?.kubeletVersion ?? ""}${cordoned} ${conditions?.join(" ") ?? ""}`;
}

function podLine({ metadata, spec, status }: Pod): string {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const waiting = containers.flatMap(({ name, state }) =>
    state?.waiting?.reason ? [`${name}: ${state.waiting.reason} ${state.waiting.message ?? ""}`] : [],
  );
  const restarts = containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  return `${metadata.namespace}/${metadata.name} ${status?.phase ?? ""} on ${spec?.nodeName ?? "no node"}, ${restarts} restarts ${waiting.join("; ")}`.trimEnd();
}

const timeOf = ({ lastTimestamp, eventTime, metadata }: ClusterEvent) =>
  lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";

function eventLine(event: ClusterEvent): string {
  const { kind = "", namespace = "", name = "" } = event.involvedObject ?? {};
  return `${timeOf(event)} ${event.type ?? ""} ${kind} ${namespace}/${name} ${event.reason ?? ""}: ${event.message ?? ""}`;
}
