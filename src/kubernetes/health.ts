import type { DaemonSet, Deployment, Node, Pod } from "./objects.ts";
import { type Around, isPodComing, isPodReady, isRecent, podWords } from "./pod-state.ts";

/*
 * Is a cluster as it should be? Functions over what was listed, after the checks that Talos itself makes (docs/facts/talos.md#health-checks, 10 to
 * 16). Each answers with what is wrong, in the words of a sentence: "worker-1" "is NotReady: …".
 */

export interface Problem {
  /** The subject: "worker-1", "coredns". */
  subject: string;
  problem: string;
  /** The hint. */
  hint?: string;
  /** It resolves by itself: a pod is being pulled, a node boots. */
  coming?: true;
}

/** A node of the config, with the properties that Kubernetes shows. */
export interface ExpectedNode {
  name: string;
  role: "controlplane" | "worker";
  ip: string;
  /** The address of the other family. */
  secondIp?: string;
  /** Its address in a private network of the nodes, which Kubernetes then uses. */
  privateIp?: string;
}

export const CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane";
export const CONTROL_PLANE_APPS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;

/** Row 10: one node of the config for each of Kubernetes and the other way round, found by address. */
export function membershipProblems(nodes: readonly Node[], expected: readonly ExpectedNode[]): Problem[] {
  const missing = expected.filter((one) => !nodeOf(nodes, one)).map(({ name }) => ({ subject: name, problem: "has not joined" }));
  const extra = nodes.filter((node) => !expected.some((one) => isAt(node, one)));
  return [...missing, ...extra.map(({ metadata: { name } }) => stranger(name))];
}

/** Left by a removed machine, or added by an administrator: only reported. */
function stranger(name: string): Problem {
  return { subject: name, problem: "is not in the config", hint: `if it is gone for good:  kubectl delete node ${name}` };
}

/** Row 13: the Ready condition of every expected node. `pods`: those of kube-system and the time, to see what is on its way. */
export function unreadyNodes(
  nodes: readonly Node[],
  expected: readonly ExpectedNode[],
  pods?: { of: readonly Pod[]; now: number },
): (Problem & { waitsForNetwork?: true })[] {
  return expected.flatMap((one) => {
    const node = nodeOf(nodes, one);
    if (!node) return [{ subject: one.name, problem: "has not joined" }];
    const ready = readyOf(node);
    if (ready?.status === "True") return [];
    return [
      {
        ...{ subject: one.name, problem: unreadyWords(ready) },
        ...(waitsForNetwork(node) && { waitsForNetwork: true }),
        ...(pods && isNodeComing(node, pods.of, { nodes, now: pods.now }) && { coming: true }),
      },
    ];
  });
}

/** Whether a node is about to become Ready: its kubelet has just started, or the pods of its network are coming. */
function isNodeComing(node: Node, pods: readonly Pod[], around: Around): boolean {
  const ready = readyOf(node);
  if (ready?.status !== "False") return false;
  if (isRecent(ready.lastTransitionTime, around.now)) return true;
  return pods.some((pod) => pod.spec?.nodeName === node.metadata.name && !isPodReady(pod) && isPodComing(pod, around));
}

const readyOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === "Ready");

/** Whether no node has a pod network. When one has, a CNI is installed, and the others have another problem. */
export function lackNetwork(nodes: readonly Node[]): boolean {
  return nodes.some(waitsForNetwork) && !nodes.some((node) => readyOf(node)?.status === "True");
}

/** No CNI has set up its network yet: kubelet says so, and keeps the node NotReady. */
function waitsForNetwork(node: Node): boolean {
  const ready = readyOf(node);
  return ready?.status === "False" && /NetworkPluginNotReady|cni plugin not initialized/.test(ready.message ?? "");
}

function unreadyWords(ready: { status: string; reason?: string; message?: string } | undefined): string {
  if (!ready) return "is NotReady: it has not reported yet";
  // "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"
  const core = /Network plugin returns error: (.*)$/.exec(ready.message ?? "")?.[1] ?? ready.message ?? ready.reason;
  const word = ready.status === "Unknown" ? "does not report" : "is NotReady";
  return core ? `${word}: ${core}` : word;
}

/** The kubelet runs the version the config says: "v1.36.3". */
export function versionProblems(
  nodes: readonly Node[],
  expected: readonly ExpectedNode[],
  version: string,
): (Problem & { version: string })[] {
  return expected.flatMap((one) => {
    const runs = nodeOf(nodes, one)?.status?.nodeInfo?.kubeletVersion;
    return runs === undefined || runs === version
      ? []
      : [{ subject: one.name, problem: `runs Kubernetes ${runs}, not ${version}`, version: runs }];
  });
}

/** Row 12, first half: the nodes labelled as control planes are those of the config. */
export function roleProblems(nodes: readonly Node[], expected: readonly ExpectedNode[]): Problem[] {
  return expected.flatMap((one) => {
    const node = nodeOf(nodes, one);
    if (!node) return [];
    const labelled = node.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined;
    if (labelled === (one.role === "controlplane")) return [];
    const problem = labelled ? "is a worker, but labelled as a control plane" : "is a control plane, but not labelled as one";
    return [{ subject: one.name, problem }];
  });
}

/** Row 16: no node is cordoned. */
export function cordonedNodes(nodes: readonly Node[], expected: readonly ExpectedNode[]): Problem[] {
  return expected
    .filter((one) => nodeOf(nodes, one)?.spec?.unschedulable === true)
    .map(({ name }) => ({
      subject: name,
      problem: "is cordoned: nothing new is scheduled on it",
      hint: `kubectl uncordon ${name}`,
    }));
}

/** Row 12, second half: each of the three apps has a ready pod on every control plane and none elsewhere. `pods` are those of kube-system. */
export function controlPlaneProblems(
  pods: readonly Pod[],
  nodes: readonly Node[],
  expected: readonly ExpectedNode[],
  now = Number.NaN,
): Problem[] {
  const controlPlanes = expected.filter(({ role }) => role === "controlplane");
  const hosts = new Map(controlPlanes.map((one) => [one.name, nodeOf(nodes, one)?.metadata.name]));
  const own = controlPlanes.flatMap(({ name }) => {
    const host = hosts.get(name);
    if (host === undefined) return [];
    return CONTROL_PLANE_APPS.flatMap((app) => {
      const here = pods.filter((pod) => labelled(app)(pod) && pod.spec?.nodeName === host);
      if (here.length === 0) return [{ subject: name, problem: `does not run ${app}` }];
      return here
        .filter((pod) => !isPodReady(pod))
        .map((pod) => ({ subject: name, problem: `${app} is not ready: ${podWords(pod)}`, ...onItsWay([pod], { nodes, now }) }));
    });
  });
  const known = new Set(hosts.values());
  const strays = pods.filter((pod) => CONTROL_PLANE_APPS.some((app) => labelled(app)(pod)) && !known.has(pod.spec?.nodeName));
  return [...own, ...strays.map(({ metadata, spec }) => stray(metadata.name, spec?.nodeName))];
}

/** Static pods of a removed control plane, which stay until its Node is deleted. */
function stray(pod: string, node = "nowhere"): Problem {
  const hint = `if ${node} is gone for good:  kubectl delete node ${node}`;
  return { subject: `pod ${pod}`, problem: `is on ${node}, which is not a control plane of the config`, hint };
}

/** Row 14: kube-proxy is ready wherever it should be. Undefined without its DaemonSet: a CNI replaces it. */
export function kubeProxyProblems(sets: readonly DaemonSet[], pods: readonly Pod[], around?: Around): Problem[] | undefined {
  const set = sets.find(({ metadata }) => metadata.labels?.["k8s-app"] === "kube-proxy");
  if (!set?.status?.desiredNumberScheduled) return undefined;
  return notAllReady("kube-proxy", pods.filter(labelled("kube-proxy")), set.status.desiredNumberScheduled, around);
}

/** Row 15: CoreDNS has all its replicas ready. Undefined without its Deployment. */
export function coreDnsProblems(
  deployments: readonly Deployment[],
  pods: readonly Pod[],
  around?: Around,
): Problem[] | undefined {
  const deployment = deployments.find(({ metadata }) => metadata.labels?.["k8s-app"] === "kube-dns");
  if (!deployment) return undefined;
  return notAllReady("coredns", pods.filter(labelled("kube-dns")), deployment.spec?.replicas ?? 1, around);
}

/** All other pods in kube-system that should run and do not. Completed pods are fine. */
export function systemPodProblems(pods: readonly Pod[], around?: Around): Problem[] {
  const judged = new Set<string>([...CONTROL_PLANE_APPS, "kube-proxy", "kube-dns"]);
  return pods
    .filter((pod) => !judged.has(pod.metadata.labels?.["k8s-app"] ?? "") && isMeantToRun(pod) && !isPodReady(pod))
    .map((pod) => ({
      ...{ subject: `pod ${pod.metadata.name}`, problem: `is not ready: ${podWords(pod)}` },
      ...onItsWay([pod], around),
    }));
}

const onItsWay = (pods: readonly Pod[], around: Around | undefined): Pick<Problem, "coming"> =>
  around && pods.length > 0 && pods.every((pod) => isPodComing(pod, around)) ? { coming: true } : {};

const labelled = (app: string) => (pod: Pod) => pod.metadata.labels?.["k8s-app"] === app;

/** Failed, deleted and finished pods are on their way out and have a successor, or need none; so are those a kubelet's shutdown left. */
function isMeantToRun({ metadata, status = {} }: Pod): boolean {
  const { phase, containerStatuses = [] } = status;
  const allEnded = containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.terminated !== undefined);
  return phase !== "Failed" && phase !== "Succeeded" && metadata.deletionTimestamp === undefined && !allEnded;
}

/** Whether all wanted and existing pods are ready. */
function notAllReady(subject: string, pods: readonly Pod[], wanted: number, around: Around | undefined): Problem[] {
  const meant = pods.filter(isMeantToRun);
  const unready = meant.filter((pod) => !isPodReady(pod));
  const ready = meant.length - unready.length;
  const [why] = unready;
  if (ready >= wanted && !why) return [];
  const problem = `has ${ready} of ${Math.max(wanted, meant.length)} pods ready${why ? `: ${podWords(why)}` : ""}`;
  return [{ subject, problem, ...onItsWay(unready, around) }];
}

/** The Node of a machine, found by its address. */
export function nodeOf(nodes: readonly Node[], expected: ExpectedNode): Node | undefined {
  return nodes.find((node) => isAt(node, expected));
}

function isAt(node: Node, { ip, secondIp, privateIp }: ExpectedNode): boolean {
  const own = node.status?.addresses?.filter(({ type }) => type === "InternalIP" || type === "ExternalIP") ?? [];
  return own.some(({ address }) => address === ip || address === secondIp || address === privateIp);
}
