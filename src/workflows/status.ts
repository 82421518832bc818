import { messageOf } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { NodeConfig } from "../config/config.ts";
import { readContext, type Session } from "../engine/context.ts";
import type { Read } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { paths } from "../environment/folder.ts";
import { readOperation } from "../environment/operation-record.ts";
import { nodeOf } from "../kubernetes/health.ts";
import type { Node } from "../kubernetes/objects.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { lostSecrets } from "../platforms/lost-secrets.ts";
import type { Inventory } from "../platforms/platform.ts";
import { readBundle } from "../steps/generate/secrets-bundle.ts";
import { type Configs, configsFrom } from "../steps/generate/wanted-configs.ts";
import { type Access, openAccess } from "./access.ts";
import { accessLife, type NodeState, nodeState } from "./node-states.ts";
import { interruptedNotice } from "./operation.ts";
import { look, upgradeNotes } from "./prepare.ts";
import { type Footnote, statusTable } from "./status-table.ts";
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
    const namesakes = found.environment === undefined ? ((await access.platform.namesakes?.(c)) ?? []) : [];
    const open = readOperation(session.world.files, written);
    const off = wholeClusterOff(env, found);
    const bad = (text: string): Footnote => ({ text, level: "fail" });
    const warned = (text: string): Footnote => ({ text, level: "warn" });
    const footer = [
      ...(namesakes.length > 0 ? noteWithHint(lostSecrets(session.world, env, namesakes), "fail") : []),
      ...(open ? noteWithHint(interruptedNotice(open, env.shown), "warn") : []),
      ...(off === undefined ? [] : [warned(`${off}; to start it:  ${ownCommand("start", env.shown)}`)]),
      ...upgradeNotes(env).map(({ message }) => warned(message)),
      ...[...talos].flatMap(([name, { differences }]) => differences.map((one) => warned(`${name}: ${one}`))),
      ...(off === undefined ? kubernetes.silence.map(bad) : []),
      ...accessLife(session, env),
      ...found.foreign.map(({ where, why }) =>
        warned(`${where} looks like a machine of this environment but is ${why}; left alone`),
      ),
    ];
    const wanted = written.config.cluster;
    session.bus.emit({
      type: "result",
      result: statusTable({ env, found, namesakes, wanted, talos, kubernetes: kubernetes.states, footer }),
    });
    return 0;
  } finally {
    access.close();
  }
}

function noteWithHint({ message, hint }: { message: string; hint: string }, level: Footnote["level"]): Footnote[] {
  return [{ text: message, level }, ...hint.split("\n").map((text): Footnote => ({ text, level: "ok" }))];
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
): Promise<{ states: Map<string, string> | undefined; silence: string[] }> {
  if (found.owned.length === 0) return { states: undefined, silence: [] };
  // `up` writes the kubeconfig once the cluster exists; before that no answer is expected.
  const isExpected = session.world.files.stat(paths.kubeconfig(env.folder)) !== undefined;
  const nothing = (why: string) => ({
    states: undefined,
    silence: isExpected ? [`Kubernetes does not answer: ${why}`] : [],
  });
  try {
    const ready = await kubernetes.ready(session.signal);
    if (ready !== true) return nothing(ready.reason);
    const nodes = await kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, session.signal);
    const ofConfig = env.config.nodes.flatMap((node) => {
      const joined = nodeOf(nodes, node);
      return joined ? [[node.name, words(joined)] as const] : [];
    });
    return { states: new Map([...nodes.map((node) => [node.metadata.name, words(node)] as const), ...ofConfig]), silence: [] };
  } catch (error) {
    session.signal.throwIfAborted();
    return nothing(messageOf(error));
  }
}

function words({ status }: Node): string {
  const isReady = status?.conditions?.some((one) => one.type === "Ready" && one.status === "True");
  return `${isReady ? "Ready" : "NotReady"} ${status?.nodeInfo?.kubeletVersion ?? ""}`;
}
