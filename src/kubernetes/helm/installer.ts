import { createHash } from "node:crypto";
import type { ListRef } from "../client/kubernetes-client.ts";
import type { ClusterRoleBinding, Job, Secret, ServiceAccount } from "../objects.ts";
import type { HelmRelease, Values } from "./release.ts";
import { canonical } from "./release-differences.ts";

/**
 * The namespace of all installers: PodSecurity forbids the host's network elsewhere, without which nothing runs before there is a CNI. The release
 * itself goes into its own namespace.
 */
export const INSTALLER_NAMESPACE = "kube-system";
export const CONTAINER = "helm";

const OURS = { "app.kubernetes.io/managed-by": "talosmith" };
export const OF_RELEASE = "talosmith.dev/release";
export const OF_NAMESPACE = "talosmith.dev/release-namespace";
const OF_JOB = "talosmith.dev/job";

const HASH_LENGTH = 10;
const LONGEST_NAME = 63;
/** An unprivileged user: Helm only calls the API. */
const USER = 65534;
/** The time limit of a Job, so that an abandoned one does not keep its permissions. */
const DEADLINE_S = 1_800;
const RETRIES = 2;

/** The name of a Job, derived from its work, so that a running Job is found and not created twice. */
export function installerName(release: HelmRelease): string {
  return nameFor(taskOf(release));
}

function nameFor({ release, command, values, helmImage }: HelmTask): string {
  const wish = JSON.stringify([release.namespace, command, canonical(values), helmImage]);
  const hash = createHash("sha256").update(wish).digest("hex").slice(0, HASH_LENGTH);
  return `helm-${release.name.slice(0, LONGEST_NAME - "helm-".length - 1 - HASH_LENGTH)}-${hash}`;
}

interface HelmTask {
  release: { name: string; namespace: string };
  command: readonly string[];
  values: Values;
  helmImage: string;
}

function taskOf(release: HelmRelease): HelmTask {
  return { release, command: helmCommand(release), values: release.values, helmImage: release.helmImage };
}

export interface Installer {
  binding: ClusterRoleBinding;
  account: ServiceAccount;
  values: Secret;
  job: Job;
}

/** The installer that installs or upgrades a release. */
export function installerFor(release: HelmRelease): Installer {
  return objectsFor(taskOf(release));
}

/** The installer that removes a release. Its namespace stays, since it may contain other objects. */
export function uninstallerFor(release: { name: string; namespace: string }, helmImage: string): Installer {
  const command = ["helm", "uninstall", release.name, "--namespace", release.namespace];
  return objectsFor({ release, command, values: {}, helmImage });
}

/** All objects of an installer, with one name. Created in this order and removed in reverse, so the binding shows whether anything is left. */
function objectsFor(task: HelmTask): Installer {
  const { release } = task;
  const name = nameFor(task);
  const labels = { ...OURS, [OF_RELEASE]: release.name, [OF_NAMESPACE]: release.namespace };
  const metadata = { name, namespace: INSTALLER_NAMESPACE, labels };
  return {
    binding: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name, labels },
      // A chart may contain anything, custom resource definitions and roles among it.
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name, namespace: INSTALLER_NAMESPACE }],
    },
    account: { apiVersion: "v1", kind: "ServiceAccount", metadata },
    values: {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      type: "Opaque",
      // JSON is YAML, and leaves nothing to guess.
      data: { "values.yaml": Buffer.from(JSON.stringify(task.values, null, 2)).toString("base64") },
    },
    job: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata,
      spec: {
        backoffLimit: RETRIES,
        activeDeadlineSeconds: DEADLINE_S,
        template: { metadata: { labels: { ...labels, [OF_JOB]: name } }, spec: podSpec(name, task) },
      },
    },
  };
}

function podSpec(name: string, { command, helmImage }: HelmTask): Job["spec"]["template"]["spec"] {
  return {
    restartPolicy: "Never",
    serviceAccountName: name,
    // There may be no CNI and no cluster DNS yet: installing them may be what this is for.
    hostNetwork: true,
    dnsPolicy: "Default",
    priorityClassName: "system-cluster-critical",
    tolerations: [{ operator: "Exists" }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "node-role.kubernetes.io/control-plane", operator: "Exists" }] }],
        },
      },
    },
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: CONTAINER,
        image: helmImage,
        command: [...command],
        env: [
          // KubePrism: the API at the host's own loopback, whichever control plane runs.
          { name: "KUBERNETES_SERVICE_HOST", value: "localhost" },
          { name: "KUBERNETES_SERVICE_PORT", value: "7445" },
          { name: "HOME", value: "/tmp" },
        ],
        securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
        terminationMessagePolicy: "FallbackToLogsOnError",
        volumeMounts: [
          { name: "values", mountPath: "/values", readOnly: true },
          { name: "tmp", mountPath: "/tmp" },
        ],
      },
    ],
    volumes: [
      { name: "values", secret: { secretName: name, defaultMode: 0o440 } },
      { name: "tmp", emptyDir: {} },
    ],
  };
}

/**
 * The arguments of Helm. Without --wait: a CNI's pods may need nodes that join later, and talosmith itself waits and reports the reason. With
 * --reset-values, since an empty file would otherwise keep the old values.
 */
export function helmCommand(release: HelmRelease): string[] {
  const { name, namespace, chart, repository, version, labels } = release;
  const source = repository.startsWith("oci://") ? [`${repository}/${chart}`] : [chart, "--repo", repository];
  return [
    ...["helm", "upgrade", "--install", name, ...source, "--version", version],
    ...["--namespace", namespace, "--create-namespace", "--values", "/values/values.yaml", "--reset-values"],
    ...["--labels", selector(labels)],
  ];
}

const selector = (labels: Record<string, string>) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");

/** The selector of the Jobs and bindings of all talosmith releases. */
export const ALL_JOBS: ListRef = {
  apiVersion: "batch/v1",
  kind: "Job",
  namespace: INSTALLER_NAMESPACE,
  labelSelector: `${selector(OURS)},${OF_RELEASE}`,
};
export const ALL_BINDINGS: ListRef = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  labelSelector: `${selector(OURS)},${OF_RELEASE}`,
};

export function podsOf(job: string): ListRef {
  return { apiVersion: "v1", kind: "Pod", namespace: INSTALLER_NAMESPACE, labelSelector: selector({ [OF_JOB]: job }) };
}
