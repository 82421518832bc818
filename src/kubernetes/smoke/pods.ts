import type { KubernetesObject, PodSpec, Taint } from "../objects.ts";
import { ACCOUNT, NAMESPACE, OURS } from "./namespace.ts";

/** A node for test pods, by its Kubernetes name. */
export interface SmokeNode {
  name: string;
  taints: readonly Taint[];
  /** It has an allocatable GPU. */
  gpu: boolean;
}

export interface SmokePod extends KubernetesObject {
  spec: PodSpec;
}

export const NETWORK_QUESTIONS = ["api", "dns", "pod"] as const;
export type NetworkQuestion = (typeof NETWORK_QUESTIONS)[number];
export type Question = NetworkQuestion | "gpu";

export const LISTENER_PORT = 8080;
const CA = "/ca";
/** An unprivileged user. */
const USER = 65534;
/** The pods end even when talosmith is killed. */
const DEADLINE_S = 1_800;
/** They have no data to lose. */
const GRACE_S = 1;

/** Responds with its name. Not netexec, which would run commands for any client. */
export function listenerPod(node: SmokeNode, place: number, image: string): SmokePod {
  const container = { name: "listener", image, args: ["serve-hostname", `--port=${LISTENER_PORT}`] };
  return podOn(node, `listener-${place}`, { restartPolicy: "Always", containers: [contained(container)] });
}

export interface Targets {
  /** The service address of the API. */
  api: string;
  /** "kubernetes.default.svc.cluster.local" */
  name: string;
  /** Address of another node's listener. */
  pod?: string;
}

/** One container for each question; the answer is its exit code and log. */
export function probePod(node: SmokeNode, place: number, image: string, targets: Targets): SmokePod {
  const commands: Record<NetworkQuestion, string[] | undefined> = {
    // Any response will do, since clients without a certificate are refused: TLS has already verified the server.
    api: curl("--cacert", `${CA}/ca.crt`, `https://${inUrl(targets.api)}/version`),
    dns: nslookup(targets.name),
    pod: targets.pod === undefined ? undefined : curl("--fail", `http://${inUrl(targets.pod)}:${LISTENER_PORT}/`),
  };
  const containers = NETWORK_QUESTIONS.flatMap((name) => {
    const command = commands[name];
    if (!command) return [];
    return [contained({ name, image, command, ...(name === "api" && { volumeMounts: [{ name: "ca", mountPath: CA }] }) })];
  });
  return podOn(node, `probe-${place}`, {
    restartPolicy: "Never",
    containers,
    volumes: [{ name: "ca", configMap: { name: "kube-root-ca.crt" } }],
  });
}

/** Repeats the DNS question. */
export function dnsPod(node: SmokeNode, name: string, image: string, wanted: string): SmokePod {
  return podOn(node, name, {
    restartPolicy: "Never",
    containers: [contained({ name: "dns", image, command: nslookup(wanted) })],
  });
}

/** With the trailing dot no search domain is appended. */
function nslookup(name: string): string[] {
  return ["nslookup", "-timeout=3", "-retry=5", `${name}.`];
}

/** Up to Talos 1.12 a runtime class provides the GPU's devices. */
export function gpuPod(node: SmokeNode, place: number, image: string, runtimeClass: string | undefined): SmokePod {
  const limits = { "nvidia.com/gpu": 1 };
  return podOn(node, `gpu-${place}`, {
    restartPolicy: "Never",
    ...(runtimeClass !== undefined && { runtimeClassName: runtimeClass }),
    containers: [contained({ name: "gpu", image, command: ["nvidia-smi", "--list-gpus"], resources: { limits } })],
  });
}

/** The first packets of a pod may be lost while its network is being set up, so it retries for half a minute. */
function curl(...rest: string[]): string[] {
  const patience = ["--connect-timeout", "3", "--max-time", "5"];
  const again = ["--retry", "8", "--retry-delay", "2", "--retry-max-time", "30", "--retry-all-errors"];
  return ["curl", "--silent", "--show-error", "--output", "/dev/null", ...patience, ...again, ...rest];
}

function inUrl(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** Scheduled like any pod, but only to this node and with all taints tolerated. */
function podOn(node: SmokeNode, name: string, spec: PodSpec): SmokePod {
  const here = { matchFields: [{ key: "metadata.name", operator: "In", values: [node.name] }] };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: NAMESPACE, labels: OURS },
    spec: {
      ...spec,
      serviceAccountName: ACCOUNT,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      activeDeadlineSeconds: DEADLINE_S,
      terminationGracePeriodSeconds: GRACE_S,
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [here] } } },
      tolerations: node.taints.map(({ key, effect }) => ({ key, operator: "Exists", effect })),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        seccompProfile: { type: "RuntimeDefault" },
      },
    },
  };
}

function contained(container: PodSpec): PodSpec {
  return {
    ...container,
    imagePullPolicy: "IfNotPresent",
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  };
}
