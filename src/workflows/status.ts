import { messageOf } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { NodeConfig } from "../config/config.ts";
import { readContext, type Session } from "../engine/context.ts";
import type { Read } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { paths } from "../environment/folder.ts";
import { readOperation } from "../environment/operation-record.ts";
import type { Node } from "../kubernetes/objects.ts";
import { definitionOf } from "../platforms/all.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { Inventory } from "../platforms/platform.ts";
import { readBundle } from "../steps/generate/secrets-bundle.ts";
import { type Configs, configsFrom } from "../steps/generate/wanted-configs.ts";
import { type Access, openAccess } from "./access.ts";
import { accessLife, type NodeState, nodeState } from "./node-states.ts";
import { interruptedNotice } from "./operation.ts";
import { look, upgradeNotes } from "./prepare.ts";
import { wholeClusterOff } from "./whole-cluster-off.ts";

type StatusSession = Session & { redactor: Redactor };

/** `talosmith status`: shows all nodes of the config and all machines of the environment, with the releases they run. */
export async function showStatus(session: StatusSession, folder: string): Promise<number> {
  const written = openEnvironment(session.world, folder, session.redactor);
  const access = await openAccess(session, written);
  try {
    const { env, found, pass } = await look(session, written, access);
    const c = readContext(session, "status", new Map(), pass);
    const [talos, kubernetes] = await Promise.all([
      talosStates(c, session.redactor, env, access, found),
      nodeStates(session, env, access, found),
    ]);
    const { cluster } = written.config;
    const open = readOperation(session.world.files, written);
    const off = wholeClusterOff(env, found);
    session.bus.emit({
      type: "result",
      result: {
        kind: "table",
        name: "machines",
        columns: [
          { key: "name", title: "node" },
          { key: "role", title: "role" },
          { key: "address", title: "address" },
          { key: "state", title: "machine" },
          { key: "talos", title: "Talos" },
          { key: "config", title: "config" },
          { key: "kubernetes", title: "Kubernetes" },
          { key: "where", title: "where" },
        ],
        rows: rowsOf(env, found).map((row) => ({
          ...row,
          talos: besideConfig(talos.get(row.name)?.talos ?? "", cluster.talos),
          config: talos.get(row.name)?.config ?? "",
          differences: [...(talos.get(row.name)?.differences ?? [])],
          kubernetes: besideConfig(kubernetes.states.get(row.name) ?? "", cluster.kubernetes),
        })),
        empty: "no machines",
        footer: [
          ...(open ? [interruptedNotice(open, env.shown)].flatMap(({ message, hint }) => [message, ...hint.split("\n")]) : []),
          ...(off === undefined ? [] : [`${off}; to start it:  talosmith start ${env.shown}`]),
          ...upgradeNotes(env).map(({ message }) => message),
          ...[...talos].flatMap(([name, { differences }]) => differences.map((one) => `${name}: ${one}`)),
          ...(off === undefined ? kubernetes.silence : []),
          ...accessLife(session, env),
          ...found.foreign.map(({ where, why }) => `${where} looks like a machine of this environment but is ${why}; left alone`),
        ],
      },
    });
    return 0;
  } finally {
    access.close();
  }
}

/** "v1.13.9 (config: v1.14.0)", "Ready v1.36.3 (config: v1.37.0)"; what runs alone when that is what the config says, or nothing does. */
function besideConfig(state: string, config: string): string {
  const runs = /v\d\S*$/.exec(state)?.[0];
  return runs === undefined || runs === config ? state : `${state} (config: ${config})`;
}

async function talosStates(
  c: Read,
  redactor: Redactor,
  env: Environment,
  { talos, platform }: Access,
  found: Inventory,
): Promise<Map<string, NodeState>> {
  const nodes = env.config.nodes.filter((node) => found.there.has(node.name));
  let configs: Configs | undefined;
  // Made once, and only when a node of this cluster answers: a new environment has no secrets yet.
  const wanted = (node: NodeConfig) => {
    configs ??= configsFrom(env, platform, readBundle(c.world, env, redactor), redactor);
    return configs.of(node);
  };
  const states = nodes.map(async (node) => [node.name, await nodeState(c, env, talos, node, wanted)] as const);
  return new Map(await Promise.all(states));
}

/** The state of each node in Kubernetes; if an existing cluster does not answer, the reason. */
async function nodeStates(
  session: Session,
  env: Environment,
  { kubernetes }: Access,
  found: Inventory,
): Promise<{ states: Map<string, string>; silence: string[] }> {
  if (found.owned.length === 0) return { states: new Map(), silence: [] };
  // `up` writes the kubeconfig once the cluster exists; before that no answer is expected.
  const isExpected = session.world.files.stat(paths.kubeconfig(env.folder)) !== undefined;
  const nothing = (why: string) => ({
    states: new Map(),
    silence: isExpected ? [`Kubernetes does not answer: ${why}`] : [],
  });
  try {
    const ready = await kubernetes.ready(session.signal);
    if (ready !== true) return nothing(ready.reason);
    const nodes = await kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, session.signal);
    const words = (node: Node) => `${readiness(node)} ${node.status?.nodeInfo?.kubeletVersion ?? ""}`;
    return { states: new Map(nodes.map((node) => [node.metadata.name, words(node)])), silence: [] };
  } catch (error) {
    session.signal.throwIfAborted();
    return nothing(messageOf(error));
  }
}

function readiness({ status }: Node): string {
  return status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ? "Ready" : "NotReady";
}

function rowsOf(env: Environment, found: Inventory): ({ name: string } & Record<string, Json>)[] {
  const { notFound } = definitionOf(env.config).words;
  const wanted = env.config.nodes.map((node) => {
    const owned = found.owned.find((one) => one.name === node.name);
    return {
      name: node.name,
      role: node.role,
      address: node.ip,
      state: owned?.state ?? (found.there.has(node.name) ? "not in the cluster yet" : notFound),
      where: owned?.where ?? "",
      ...owned?.detail,
    };
  });
  const left = found.owned.filter((one) => !env.config.nodes.some((node) => node.name === one.name));
  return [
    ...wanted,
    ...left.map((one) => ({
      name: one.name,
      role: one.role,
      address: one.address,
      state: `${one.state}, not in the config`,
      where: one.where,
      ...one.detail,
    })),
  ];
}
