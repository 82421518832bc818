import { minorOf, parseVersion } from "../../catalog/version.ts";
import { type Check, check, type Read } from "../../engine/step.ts";
import { cordonedNodes, nodeOf, unreadyNodes } from "../../kubernetes/health.ts";
import { gpusOf } from "../../kubernetes/health-marks.ts";
import type { Node } from "../../kubernetes/objects.ts";
import { patiently } from "../../kubernetes/smoke/patiently.ts";
import type { SmokeNode } from "../../kubernetes/smoke/pods.ts";
import { type SmokeResult, smoke } from "../../kubernetes/smoke/smoke.ts";
import type { Cluster } from "./cluster.ts";
import { AFTER_CHANGES } from "./eventually.ts";
import { looksAt } from "./looks.ts";
import { smokeFindings } from "./smoke-findings.ts";
import { lacksNetwork, leftOut } from "./without-cni.ts";

/** Up to this minor version a runtime class brings a GPU into a pod (docs/facts/talos.md#nvidia). */
const WITH_RUNTIME_CLASS: readonly string[] = ["v1.12"];

/** While one of these checks fails, the smoke test would add nothing. */
const WELL_BEFORE = ["verify/ready", "verify/kube-proxy", "verify/coredns"] as const;

/** Runs pods on all schedulable nodes, which test the API, cluster DNS, each other and their GPU. */
export function smokeTest(cluster: Cluster): Check {
  const { config } = cluster.env;
  return check({
    id: "verify/smoke",
    stage: "verify",
    title: "pod connectivity",
    needs: [...cluster.after, ...WELL_BEFORE.map((step) => ({ step }))],
    after: cluster.addons ?? [],
    run: async (c) => {
      if (!config.verify.smoke) return [{ level: "ok", code: "SMOKE", message: "not tried: verify.smoke is false" }];
      const listed = await listNodes(cluster, c);
      if (await lacksNetwork(cluster, { kubernetesNodes: async () => listed })) return leftOut("pod connectivity");
      const nodes = nodesToTry(cluster, listed, await silentNodes(cluster, c));
      if (nodes.length === 0) return [{ level: "warn", code: "SMOKE", message: "not tried: no node takes pods" }];
      return smokeFindings(await run(cluster, nodes, c), nodes, config.cluster);
    },
  });
}

function listNodes(cluster: Cluster, c: Read): Promise<Node[]> {
  const { stillMs } = cluster.patience?.() ?? AFTER_CHANGES;
  return patiently(c, "nodes are listed", () => looksAt(cluster, c, true).kubernetesNodes(), stillMs);
}

/** Nodes whose Talos does not answer. Kubernetes notices a dead node only after 40 s, and a pod on it would be waited for much longer. */
async function silentNodes(cluster: Cluster, c: Read): Promise<string[]> {
  const asked = await looksAt(cluster, c, true).versions();
  return asked.flatMap((one) => (one.is === "unseen" ? [one.node.name] : []));
}

/** The schedulable nodes: cordoned, NotReady and silent ones are reported by their own checks. */
function nodesToTry(cluster: Cluster, seen: readonly Node[], silent: readonly string[]): SmokeNode[] {
  const { nodes, cluster: wanted } = cluster.env.config;
  const wrong = [...unreadyNodes(seen, nodes), ...cordonedNodes(seen, nodes)];
  const unfit = new Set([...wrong.map(({ subject }) => subject), ...silent]);
  const fit = nodes.filter(({ name, role }) => (role === "worker" || wanted.scheduleOnControlPlanes) && !unfit.has(name));
  return fit.flatMap((node) => {
    const there = nodeOf(seen, node);
    if (!there) return [];
    const gpu = node.gpu !== undefined && gpusOf(there) > 0;
    return [{ name: there.metadata.name, taints: there.spec?.taints ?? [], gpu }];
  });
}

function run({ env: { config }, kubernetes }: Cluster, nodes: readonly SmokeNode[], c: Read): Promise<SmokeResult> {
  const { image, gpuImage } = config.verify;
  const { talos, dnsDomain } = config.cluster;
  const version = parseVersion(talos);
  const needsClass = version !== undefined && WITH_RUNTIME_CLASS.includes(minorOf(version));
  return smoke(kubernetes, { nodes, image, gpuImage, dnsDomain, ...(needsClass && { gpuRuntimeClass: "nvidia" }) }, c);
}
