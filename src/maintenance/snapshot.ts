import { basename } from "node:path";
import { asTalosmithError, remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Finding, Read, Write } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { startOfUnfinished } from "../environment/runs.ts";
import { keepSnapshot, keptSnapshots, shownSnapshot, timeOfSnapshot } from "../environment/snapshots.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import type { ControlPlane } from "../talos/health/etcd-quorum.ts";

/** A single lost answer must not be taken for an etcd that does not answer. */
const LOOKS = 2;
const PAUSE_MS = 2_000;
const MIB = 1024 ** 2;

export interface SnapshotSpec {
  env: Pick<Environment, "folder" | "shown"> & { config: { backup: { recipients: readonly string[] } } };
  talos: TalosNodes;
  /** The control planes that may have etcd's data, in the order in which they are queried. */
  controlPlanes: readonly ControlPlane[];
  /** A mark says that etcd was bootstrapped. */
  bootstrapped: boolean;
  /** False: the user wants none (--no-snapshot). */
  wanted: boolean;
  /** Tells the user where it is. */
  notice(message: string): void;
}

export type SnapshotOutlook =
  /** This run has one, or it is to take none. */
  | { is: "done" }
  | { is: "possible" }
  /** `earlier`: one that a run took which did not end well, and which may have begun to remove what it was taken from. */
  | { is: "impossible"; why: string; earlier?: string }
  /** There is no etcd, and there never was one as far as anything tells. */
  | { is: "no cluster" };

/** Snapshots of etcd. One object per run, shared by all steps: the first one that needs a snapshot takes it. */
export interface Snapshots {
  /** This run has one, or it is to take none. */
  isDone(): boolean;
  look(c: Read): Promise<SnapshotOutlook>;
  /** Rejects with NO_SNAPSHOT when none can be taken. */
  take(c: Write): Promise<void>;
}

export function openSnapshots(spec: SnapshotSpec): Snapshots {
  const { env, talos, controlPlanes } = spec;
  let taking: Promise<void> | undefined;
  let isDone = !spec.wanted;

  async function sourcesNow(c: Read): Promise<Sources> {
    const asked = await Promise.all(controlPlanes.map((node) => ask(talos, node, c.signal)));
    const of = (rank: Answer["rank"]) => asked.filter((one) => one.rank === rank);
    return {
      // A member that lost the others still has all that was agreed upon.
      nodes: [...of("healthy"), ...of("alone")].map(({ node }) => node),
      why: of("none").map(({ why }) => why),
    };
  }

  async function sources(c: Read): Promise<Sources> {
    for (let look = 1; ; look++) {
      const found = await sourcesNow(c);
      if (found.nodes.length > 0 || look === LOOKS || !(await hasData(c))) return found;
      await c.world.clock.sleep(PAUSE_MS, c.signal);
    }
  }

  /** Without a mark only the data itself can tell. */
  async function hasData(c: Read): Promise<boolean> {
    if (spec.bootstrapped) return true;
    const found = await Promise.all(
      controlPlanes.map(({ ip }) =>
        talos
          .node(ip)
          .hasEtcdData(c.signal)
          .catch(() => false),
      ),
    );
    c.signal.throwIfAborted();
    return found.includes(true);
  }

  function earlier(c: Read): string | undefined {
    const since = startOfUnfinished(c.world, env.folder) ?? Number.POSITIVE_INFINITY;
    const last = keptSnapshots(c.world.files, env.folder).findLast((name) => Number(timeOfSnapshot(name)) >= since);
    return last && shownSnapshot(env, last);
  }

  async function takeFrom(node: ControlPlane, c: Write): Promise<void> {
    const what = `take a snapshot of etcd on ${node.name}`;
    const name = await c.mutate({ key: "etcd snapshot", what }, async () => {
      const path = await keepSnapshot(c.world, env.folder, talos.node(node.ip).etcdSnapshot(c.signal), {
        recipients: env.config.backup.recipients,
        progress: inMiB((size) => c.say(`snapshot of etcd: ${size} MiB`)),
      });
      return basename(path);
    });
    spec.notice(`snapshot of etcd: ${shownSnapshot(env, name)}`);
  }

  async function takeNow(c: Write): Promise<void> {
    const { nodes, why } = await sources(c);
    const failed: TalosmithError[] = [];
    for (const node of nodes) {
      try {
        await takeFrom(node, c);
        isDone = true;
        return;
      } catch (error) {
        c.signal.throwIfAborted();
        const reported = asTalosmithError(error);
        // A full disk is full for the next one, too.
        if (reported.kind !== "remote") throw withWayOut(reported);
        failed.push(reported);
      }
    }
    throw noSnapshot([...why, ...failed.map(wordsOf)], failed.length > 0 && failed.every(({ transient }) => transient));
  }

  return {
    isDone: () => isDone,
    look: async (c) => {
      if (isDone) return { is: "done" };
      const { nodes, why } = await sources(c);
      if (nodes.length > 0) return { is: "possible" };
      if (!(await hasData(c))) return { is: "no cluster" };
      const before = earlier(c);
      const reasons = why.length > 0 ? why.join("; ") : "no control plane runs";
      return { is: "impossible", why: reasons, ...(before !== undefined && { earlier: before }) };
    },
    take: async (c) => {
      if (isDone) return;
      taking ??= takeNow(c).finally(() => {
        taking = undefined;
      });
      await taking;
    },
  };
}

interface Sources {
  nodes: ControlPlane[];
  /** The reasons why the other control planes cannot serve. */
  why: string[];
}

interface Answer {
  node: ControlPlane;
  rank: "healthy" | /** It has no leader. */ "alone" | "none";
  why: string;
}

async function ask(talos: TalosNodes, node: ControlPlane, signal: AbortSignal): Promise<Answer> {
  try {
    const { leader, isLearner } = await talos.node(node.ip).etcdStatus(signal);
    if (isLearner) return { node, rank: "none", why: `${node.name} is still joining etcd` };
    return { node, rank: leader === 0n ? "alone" : "healthy", why: "" };
  } catch (error) {
    signal.throwIfAborted();
    return { node, rank: "none", why: `${node.name}: ${wordsOf(asTalosmithError(error))}` };
  }
}

function wordsOf({ detail, message }: TalosmithError): string {
  return detail?.split("\n")[0] ?? message;
}

/** Reports at most once per MiB. */
function inMiB(tell: (size: number) => void): (bytes: number) => void {
  let last: number | undefined;
  return (bytes) => {
    const size = Math.ceil(bytes / MIB);
    if (size !== last) tell(size);
    last = size;
  };
}

/** A full local disk prevents the snapshot, but need not prevent the rest. */
function withWayOut(error: TalosmithError): TalosmithError {
  if (error.kind !== "user") return error;
  const { code, message, detail, hint } = error;
  return userError(code, { message, detail, hint: `${hint}\nor continue without a snapshot: --no-snapshot`, cause: error });
}

const HINT = "repair etcd, then run the same command again; or continue without a snapshot: --no-snapshot";

function noSnapshot(why: readonly string[], transient: boolean): TalosmithError {
  return remoteError("NO_SNAPSHOT", {
    message: "Unable to take a snapshot of etcd",
    detail: why.length > 0 ? why.join("\n") : "no control plane runs",
    hint: HINT,
    transient,
  });
}

/** Findings that prevent a step that needs a snapshot. */
export async function requireSnapshot(snapshots: Snapshots, what: string, c: Read): Promise<Finding[]> {
  const outlook = await snapshots.look(c);
  if (outlook.is !== "impossible") return [];
  const message = `${what} needs a snapshot of etcd first, but none can be taken: ${outlook.why}`;
  return [{ level: "fail", code: "NO_SNAPSHOT", message, hint: HINT }];
}
