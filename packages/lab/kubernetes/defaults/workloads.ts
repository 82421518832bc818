import type { KubeObject, Loose } from "../objects.ts";
import { defaultPodSpec } from "./pod-spec.ts";

type Default = (object: KubeObject) => void;

function template(spec: Loose): void {
  if (!spec?.template) return;
  spec.template.metadata ??= {};
  if (spec.template.spec) defaultPodSpec(spec.template.spec);
}

function deployment({ spec }: KubeObject): void {
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ??= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
    spec.strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  template(spec);
}

function daemonSet({ spec }: KubeObject): void {
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ??= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  template(spec);
}

function statefulSet({ spec }: KubeObject): void {
  spec.replicas ??= 1;
  spec.podManagementPolicy ??= "OrderedReady";
  spec.updateStrategy ??= { type: "RollingUpdate", rollingUpdate: { partition: 0 } };
  spec.revisionHistoryLimit ??= 10;
  spec.persistentVolumeClaimRetentionPolicy ??= { whenDeleted: "Retain", whenScaled: "Retain" };
  template(spec);
}

function replicaSet({ spec }: KubeObject): void {
  spec.replicas ??= 1;
  template(spec);
}

/** A Job without a selector gets one by its own uid, so that two Jobs never count each other's pods. */
function job({ metadata, spec }: KubeObject): void {
  spec.parallelism ??= 1;
  if (spec.completions === undefined && spec.parallelism === 1) spec.completions = 1;
  spec.completionMode ??= "NonIndexed";
  spec.backoffLimit ??= 6;
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= "TerminatingOrFailed";
  template(spec);
  if (spec.manualSelector || spec.selector) return;
  const labels = { "batch.kubernetes.io/controller-uid": metadata.uid, "batch.kubernetes.io/job-name": metadata.name };
  const old = { "controller-uid": metadata.uid, "job-name": metadata.name };
  if (spec.template?.metadata) spec.template.metadata.labels = { ...spec.template.metadata.labels, ...labels, ...old };
  spec.selector = { matchLabels: { "batch.kubernetes.io/controller-uid": metadata.uid } };
}

function cronJob({ spec }: KubeObject): void {
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  template(spec.jobTemplate?.spec);
}

export const WORKLOADS: Record<string, Default> = {
  "deployments.apps": deployment,
  "daemonsets.apps": daemonSet,
  "statefulsets.apps": statefulSet,
  "replicasets.apps": replicaSet,
  "jobs.batch": job,
  "cronjobs.batch": cronJob,
};
