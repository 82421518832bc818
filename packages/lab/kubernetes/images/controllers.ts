import { messageOf } from "@talosmith/lib/errors.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { environmentOf, filesOf, Missing } from "../pods/environment.ts";
import { startProcess } from "../pods/processes.ts";
import { argvOf, type Controls } from "../pods/program.ts";
import { builtin } from "../resources/catalogue.ts";
import type { ClusterState } from "../state.ts";
import { lookIn } from "../store/look.ts";
import { all } from "../store/store.ts";
import { findImage } from "./images.ts";

const RETRY_MS = 30_000;

/**
 * The revision that a controller has processed, by the life of its container. Not part of the state: a restarted controller processes everything
 * again.
 */
interface ControllerProgress {
  revision: number;
  busy: boolean;
  notBefore: number;
}
const looked = new WeakMap<ClusterState, Map<string, ControllerProgress>>();

/** Runs the controllers in ready pods whenever an object they watch has changed. */
export function runControllers(cluster: SimulatedCluster): void {
  const known = looked.get(cluster.state) ?? new Map<string, ControllerProgress>();
  looked.set(cluster.state, known);
  for (const pod of all(cluster, builtin("pods"))) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    for (const container of pod.spec.containers ?? []) {
      const controls = findImage(container.image)?.controls;
      if (controls) attend(cluster, pod, container, controls, known);
    }
  }
}

function attend(
  cluster: SimulatedCluster,
  pod: KubeObject,
  container: Loose,
  controls: Controls,
  known: Map<string, ControllerProgress>,
): void {
  const record = cluster.state.kubelet[pod.metadata.uid]?.containers[container.name];
  if (record?.is !== "running" || record.readyAt === undefined || record.readyAt > cluster.lab.now()) return;
  const node = cluster.nodes.find(({ name, kubelet }) => name === pod.spec.nodeName && kubelet.running);
  if (!node) return;
  const life = `${pod.metadata.uid}/${container.name}/${record.restarts}`;
  const mine = known.get(life) ?? { revision: -1, busy: false, notBefore: 0 };
  known.set(life, mine);
  if (mine.busy || !hasChanged(cluster.state, controls.watches, mine.revision)) return;
  if (mine.notBefore > cluster.lab.now()) {
    lookIn(cluster, mine.notBefore - cluster.lab.now());
    return;
  }
  const again = () => {
    mine.revision = -1;
    mine.notBefore = cluster.lab.now() + RETRY_MS;
    lookIn(cluster, RETRY_MS);
  };
  try {
    const env = environmentOf(cluster, pod, container);
    const argv = argvOf(findImage(container.image), container);
    mine.busy = true;
    mine.revision = cluster.state.revision;
    startProcess(cluster.lab, {
      life,
      standpoint: { cluster: cluster.key, node: node.name, hostNetwork: pod.spec.hostNetwork === true },
      process: { argv, env, files: filesOf(cluster, pod, container), begunAgain: false },
      state: cluster.state,
      program: async (run) => {
        try {
          await controls.act(run);
        } catch (error) {
          if (run.signal.aborted) throw error;
          run.log(`error: ${messageOf(error)}`);
          cluster.lab.turn(again);
        } finally {
          mine.busy = false;
        }
        return "stays";
      },
    });
  } catch (error) {
    mine.busy = false;
    if (!(error instanceof Missing)) throw error;
    again();
  }
}

/** Whether an object of these resources changed since a revision; when the history is compacted, it may have. */
function hasChanged({ history, compacted }: ClusterState, resources: readonly string[], since: number): boolean {
  if (since < compacted) return true;
  for (let at = history.length - 1; at >= 0; at--) {
    const entry = history[at];
    if (!entry || entry.revision <= since) return false;
    if (resources.includes(entry.resource)) return true;
  }
  return false;
}
