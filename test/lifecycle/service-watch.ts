import type { VolatileFiles } from "../support/volatile-files.ts";
import type { Outcome } from "./commands.ts";
import type { Play, Scenario, Stage } from "./scenario.ts";

/* Watches from inside the lab how nodes are taken out of service. */

interface Machine {
  name: string;
  boot?: object;
}

interface KubeObject {
  metadata: {
    name: string;
    namespace?: string;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
    ownerReferences?: { kind: string; controller?: boolean }[];
  };
  spec?: { nodeName?: string; unschedulable?: boolean; taints?: { effect: string }[] };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

const OURS = "talosmith.dev/cordoned-for";
const CONTROL_PLANE = "node-role.kubernetes.io/control-plane";

export interface Limits {
  workers?: number;
  /** Nodes that are removed for good. */
  leaving?: readonly string[];
}

/**
 * Checks the cluster at every response and every few milliseconds while `work` runs. Each line is a violation: a node that went down with pods that
 * another node could have run, or a node that was taken out of service while the maximum number was already out.
 */
export async function watchService(scene: Stage, limits: Limits, work: () => Promise<void>): Promise<string[]> {
  const found = new Set<string>();
  const { workers = 1, leaving = [] } = limits;
  let before: Nodes | undefined;
  let isStruck = false;
  const look = () => {
    const now = nodesOf(scene, before);
    for (const [name, node] of now) {
      const was = before?.get(name);
      if (was?.runs && !node.runs && node.stranded.length > 0)
        found.add(`${name} went down with ${node.stranded.join(", ")} on it`);
      if (isStruck || !was?.serves || node.serves || leaving.includes(name)) continue;
      const out = [...now].filter(
        ([other, { serves, isControlPlane }]) =>
          other !== name && !serves && isControlPlane === node.isControlPlane && !leaving.includes(other),
      );
      if (out.length >= (node.isControlPlane ? 1 : workers))
        found.add(`${name} was taken out of service while ${out.map(([other]) => other).join(", ")} was out`);
    }
    before = now;
  };
  const watch = setInterval(look, 2);
  const { onAnswer, lab } = scene;
  const { strike } = lab;
  // A host that loses power takes down its nodes undrained, at a moment that no check can foresee.
  lab.strike = (...what) => {
    strike.apply(lab, what);
    before = nodesOf(scene, before);
    isStruck = true;
  };
  scene.onAnswer = () => {
    look();
    onAnswer?.();
  };
  try {
    look();
    await work();
    look();
  } finally {
    clearInterval(watch);
    lab.strike = strike;
    scene.onAnswer = onAnswer;
  }
  return [...found];
}

interface NodeState {
  isControlPlane: boolean;
  /** Its machine has booted. */
  runs: boolean;
  /** It is Ready and not cordoned by talosmith. */
  serves: boolean;
  /** Pods on it that another node could run. */
  stranded: readonly string[];
}
type Nodes = Map<string, NodeState>;

/** Every node; a deleted one is kept, as out of service, until it is back. */
function nodesOf({ lab }: Stage, before: Nodes | undefined): Nodes {
  const objects = objectsIn(lab);
  const machines = Object.values(lab.state<{ machines: Record<string, Machine> }>("talos").machines);
  const runs = (name: string) => machines.some((machine) => machine.name === name && machine.boot !== undefined);
  const nodes = Object.values(objects.nodes ?? {});
  const takesPods = (node: KubeObject) =>
    isReady(node) &&
    runs(node.metadata.name) &&
    node.spec?.unschedulable !== true &&
    !node.spec?.taints?.some(({ effect }) => effect !== "PreferNoSchedule");
  const now: Nodes = new Map(
    [...(before ?? [])].map(([name, node]) => [name, { ...node, runs: runs(name), serves: false, stranded: [] }]),
  );
  for (const node of nodes) {
    const { name, annotations, labels } = node.metadata;
    const hasRoom = nodes.some((other) => other !== node && takesPods(other));
    const pods = Object.values(objects.pods ?? {}).filter((pod) => pod.spec?.nodeName === name && isMovable(pod));
    now.set(name, {
      isControlPlane: labels?.[CONTROL_PLANE] !== undefined,
      runs: runs(name),
      serves: isReady(node) && runs(name) && annotations?.[OURS] === undefined,
      stranded: hasRoom ? pods.map(({ metadata }) => metadata.name) : [],
    });
  }
  return now;
}

function objectsIn(lab: Stage["lab"]): Record<string, Record<string, KubeObject>> {
  interface Clusters {
    clusters: Record<string, { objects: Record<string, Record<string, KubeObject>> }>;
  }
  return Object.values(lab.state<Clusters>("kubernetes").clusters).at(-1)?.objects ?? {};
}

function isReady({ status }: KubeObject): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}

/** Whether a pod has a controller that would start it elsewhere, has not ended and is not being deleted. */
function isMovable({ metadata, status }: KubeObject): boolean {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const isMirror = metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
  const hasEnded = status?.phase === "Succeeded" || status?.phase === "Failed";
  return (
    controller !== undefined &&
    controller.kind !== "DaemonSet" &&
    !isMirror &&
    !hasEnded &&
    metadata.deletionTimestamp === undefined
  );
}

/** Leftover cordons of talosmith, and foreign ones that were removed. */
export function cordonViolations({ lab }: Stage, foreign: readonly string[] = []): string[] {
  return Object.values(objectsIn(lab).nodes ?? {}).flatMap(({ metadata: { name, annotations }, spec }) => [
    ...(annotations?.[OURS] !== undefined ? [`our cordon of ${name} was left behind`] : []),
    ...(foreign.includes(name) && spec?.unschedulable !== true ? [`a foreign cordon of ${name} was removed`] : []),
  ]);
}

/** Wraps a play: nodes must be taken out of service properly, and cordons restored. */
export function keepingService<S extends Stage>(play: Play<S>): Play<S> {
  return { ...play, scenarios: play.scenarios.map((scenario) => (scenario.takesAll ? scenario : watched(scenario))) };
}

function watched<S extends Stage>(scenario: Scenario<S>): Scenario<S> {
  const found: string[] = [];
  const { leaving = [] } = scenario;
  const during = async (scene: S, command: () => Promise<Outcome>): Promise<Outcome> => {
    let outcome: Outcome | undefined;
    found.push(
      ...(await watchService(scene, { leaving }, async () => {
        outcome = await command();
      })),
    );
    return outcome as Outcome;
  };
  const { run, next, judge } = scenario;
  return {
    ...scenario,
    run: (scene, files, seed) => during(scene, () => run(scene, files, seed)),
    ...(next && { next: (scene: S, files: VolatileFiles) => during(scene, () => next(scene, files)) }),
    judge: async (scene) => {
      const foreign = foreignCordons(scene);
      const wrongIn = await judge(scene);
      return async (files, secrets) => [
        ...found.splice(0),
        ...cordonViolations(scene, foreign),
        ...(await wrongIn(files, secrets)),
      ];
    },
  };
}

function foreignCordons({ lab }: Stage): string[] {
  const nodes = Object.values(objectsIn(lab).nodes ?? {});
  return nodes
    .filter(({ metadata, spec }) => spec?.unschedulable === true && metadata.annotations?.[OURS] === undefined)
    .map(({ metadata }) => metadata.name);
}
