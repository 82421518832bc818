import type { Check } from "../../engine/step.ts";
import { accessFiles } from "./access-files.ts";
import { addonsUp, releasesOf } from "./addons-up.ts";
import { bootFinished } from "./boot-finished.ts";
import { certificates } from "./certificates.ts";
import { clocksAgree } from "./clocks-agree.ts";
import type { ClusterAccess } from "./cluster.ts";
import { controlPlanePods } from "./control-plane-pods.ts";
import { coreDns } from "./core-dns.ts";
import { diagnostics } from "./diagnostics.ts";
import { diskSizes } from "./disk-sizes.ts";
import { endpointAnswers } from "./endpoint-answers.ts";
import { etcdAlarmsNone } from "./etcd-alarms.ts";
import { etcdControlPlanes } from "./etcd-control-planes.ts";
import { etcdHealthy } from "./etcd-healthy.ts";
import { etcdMembers } from "./etcd-members.ts";
import { followsRepository, gitopsSynced } from "./gitops-synced.ts";
import { Glances } from "./glances.ts";
import { kubeProxy } from "./kube-proxy.ts";
import { kubeletCertificates } from "./kubelet-certificates.ts";
import { kubeletHealthy } from "./kubelet-healthy.ts";
import { kubernetesNodes } from "./kubernetes-nodes.ts";
import { memorySizes } from "./memory-sizes.ts";
import { nodeMarks } from "./node-marks.ts";
import { nodesReady } from "./nodes-ready.ts";
import { nodesSchedulable } from "./nodes-schedulable.ts";
import { otherVersionsFail } from "./other-versions.ts";
import { smokeTest } from "./smoke.ts";
import { staticPods } from "./static-pods.ts";
import { systemPods } from "./system-pods.ts";
import { talosVersions } from "./talos-versions.ts";

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
