import type { Lab } from "../../kernel/kernel.ts";
import { applyManifests, bearCluster, tellApiServers } from "../birth/birth.ts";
import { mirrorStaticPods } from "../birth/static-pods.ts";
import { lookAfterTalosAccess } from "../birth/talos-access.ts";
import { clusterKey, livingCluster, nodesOf, type SimulatedCluster, serversOf } from "../cluster.ts";
import { runControllers } from "../images/controllers.ts";
import { announceDevices } from "../images/devices.ts";
import { emptyCluster, kubernetesState } from "../state.ts";
import { lookSoon } from "../store/look.ts";
import { aggregateRoles, lookAfterApiServices } from "./api-objects.ts";
import { lookAfterBudgets } from "./budgets.ts";
import { lookAfterCertificates } from "./certificates.ts";
import { lookAfterClaims } from "./claims.ts";
import { runCronJobs } from "./cron-jobs.ts";
import { runDaemonSets } from "./daemon-sets.ts";
import { lookAfterDefinitions } from "./definitions.ts";
import { runDeployments } from "./deployments.ts";
import { lookAfterEndpoints } from "./endpoints.ts";
import { collectGarbage, evictPods } from "./garbage.ts";
import { runJobs } from "./jobs.ts";
import { runKubelets } from "./kubelet.ts";
import { balanceLoads } from "./load-balancers.ts";
import { lookAfterNamespaces } from "./namespaces.ts";
import { lookAfterNodes } from "./nodes.ts";
import { runReplicaSets } from "./replica-sets.ts";
import { schedule } from "./scheduler.ts";
import { runStatefulSets } from "./stateful-sets.ts";

/** The controllers of a cluster, in order. Each compares the actual with the desired state, and takes one step. */
const CONTROLLERS: readonly ((cluster: SimulatedCluster) => void)[] = [
  tellApiServers,
  lookAfterNodes,
  lookAfterCertificates,
  lookAfterNamespaces,
  lookAfterDefinitions,
  aggregateRoles,
  applyManifests,
  mirrorStaticPods,
  lookAfterTalosAccess,
  runDeployments,
  runReplicaSets,
  runDaemonSets,
  runStatefulSets,
  runCronJobs,
  runJobs,
  lookAfterClaims,
  evictPods,
  schedule,
  runKubelets,
  announceDevices,
  runControllers,
  lookAfterEndpoints,
  lookAfterApiServices,
  lookAfterBudgets,
  balanceLoads,
  collectGarbage,
];

/** The transition after every change: runs the controllers until nothing changes. */
export function look(lab: Lab, key: string): void {
  const state = kubernetesState(lab).clusters[key];
  // Only the scheduled look counts; others are skipped.
  if (!state || state.nextLook === undefined || state.nextLook > lab.now()) return;
  delete state.nextLook;
  const cluster = livingCluster(lab, key);
  if (!cluster) return;
  for (const control of CONTROLLERS) control(cluster);
}

/** The machines have changed: creates new clusters, and runs the controllers of the existing ones. */
export function machinesChanged(lab: Lab): void {
  const { clusters } = kubernetesState(lab);
  for (const key of new Set(serversOf(nodesOf(lab)).map(clusterKey))) {
    if (!clusters[key]) {
      clusters[key] = emptyCluster(lab.now());
      const born = livingCluster(lab, key);
      if (born) bearCluster(born);
    }
    const cluster = livingCluster(lab, key);
    if (cluster) lookSoon(cluster);
  }
}
