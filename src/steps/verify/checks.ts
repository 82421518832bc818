import type { Check } from "../../engine/step.ts";
import { accessFiles, endpointAnswers } from "./access.ts";
import { addonsUp, releasesOf } from "./addons-up.ts";
import { certificates } from "./certificates.ts";
import type { ClusterAccess } from "./cluster.ts";
import { etcdAlarmsNone, etcdControlPlanes, etcdHealthy, etcdMembers } from "./etcd.ts";
import { followsRepository, gitopsSynced } from "./gitops-synced.ts";
import { Glances } from "./glances.ts";
import { kubeletCertificates, kubeletHealthy } from "./kubelets.ts";
import { kubernetesNodes, nodeMarks, nodesSchedulable } from "./kubernetes-nodes.ts";
import { bootFinished, clocksAgree, diagnostics, diskSizes, memorySizes, talosVersions } from "./machines.ts";
import { nodesReady } from "./nodes-ready.ts";
import { controlPlanePods, coreDns, kubeProxy, staticPods, systemPods } from "./pods.ts";
import { smokeTest } from "./smoke.ts";

/** The checks that the cluster matches the config: those of `talosctl health` with its numbers, and more. */
export function verifyChecks(access: ClusterAccess): Check[] {
  const cluster = { ...access, glances: new Glances() };
  return [
    talosVersions, // 4
    etcdHealthy, // 1
    etcdMembers, // 2
    etcdControlPlanes, // 3
    etcdAlarmsNone,
    memorySizes, // 5
    diskSizes, // 6
    diagnostics, // 7
    kubeletHealthy, // 8
    bootFinished, // 9
    clocksAgree,
    endpointAnswers,
    kubernetesNodes, // 10
    nodeMarks,
    staticPods, // 11
    controlPlanePods, // 12
    nodesReady, // 13
    kubeProxy, // 14
    coreDns, // 15
    nodesSchedulable, // 16
    systemPods,
    ...(releasesOf(cluster).length > 0 ? [addonsUp] : []),
    ...(followsRepository(cluster) ? [gitopsSynced] : []),
    smokeTest,
    certificates,
    ...(access.env.config.cluster.kubeletCertificates ? [kubeletCertificates] : []),
    accessFiles,
  ].map((make) => otherVersionsFail(make(cluster)));
}

const VERSIONS: ReadonlySet<string> = new Set(["TALOS_VERSION", "KUBERNETES_VERSION"]);

/** Turns the warnings about other versions into failures at the end: repeating the check does not help, so it only warns meanwhile. */
function otherVersionsFail(check: Check): Check {
  return {
    ...check,
    run: async (c) => {
      const findings = await check.run(c);
      return findings.map((one) => (one.level === "warn" && VERSIONS.has(one.code) ? { ...one, level: "fail" as const } : one));
    },
  };
}
