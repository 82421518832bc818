import { createHash } from "node:crypto";
import type { ListRef } from "../client/kubernetes-client.ts";
import type { ClusterRoleBinding, Job, Secret, ServiceAccount } from "../objects.ts";
import type { HelmRelease, Values } from "./release.ts";
import { canonical } from "./release-differences.ts";

/**
 * Always here: PodSecurity forbids the host's network everywhere else, and without it nothing runs before there is a CNI. The release
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
/** Nobody: it only talks to the API. */
const USER = 65534;
/** A Job that nobody waits for any more must not keep its rights for ever. */
const DEADLINE_S = 1_800;
const RETRIES = 2;

/** The same wish has the same name, so a Job that is already at it is found and not made twice. */
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

/** What installs a release, or makes another version of it. */
export function installerFor(release: HelmRelease): Installer {
  return objectsFor(taskOf(release));
}

/** What takes a release away. Its namespace stays: other things may live there. */
export function uninstallerFor(release: { name: string; namespace: string }, helmImage: string): Installer {
  const command = ["helm", "uninstall", release.name, "--namespace", release.namespace];
  return objectsFor({ release, command, values: {}, helmImage });
}

/** Everything it takes, all of one name. Made in this order and removed in the other, so the binding tells whether anything is left. */
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
          // KubePrism: the API at the host's own loopback, whichever control plane lives.
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
 * Without --wait: a CNI's pods may need nodes that join later, and we wait ourselves and can say for what. With --reset-values, since
 * an empty file would otherwise mean "as before".
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

/** The Jobs and the bindings of every release of ours: one question for all. */
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
