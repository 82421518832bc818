import type { KubernetesObject, PodSpec, Taint } from "../objects.ts";
import { ACCOUNT, NAMESPACE, OURS } from "./namespace.ts";

/** A node that pods are tried on, as Kubernetes calls it. */
export interface SmokeNode {
  name: string;
  taints: readonly Taint[];
  /** It has a GPU to give away. */
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
/** Nobody. */
const USER = 65534;
/** Should we be killed, the pods end all the same. */
const DEADLINE_S = 1_800;
/** They keep nothing that would be lost. */
const GRACE_S = 1;

/** Answers with its name. Not netexec, which would run commands for whoever asks. */
export function listenerPod(node: SmokeNode, place: number, image: string): SmokePod {
  const container = { name: "listener", image, args: ["serve-hostname", `--port=${LISTENER_PORT}`] };
  return podOn(node, `listener-${place}`, { restartPolicy: "Always", containers: [contained(container)] });
}

export interface Targets {
  /** Where the API is, for pods: a service address. */
  api: string;
  /** "kubernetes.default.svc.cluster.local" */
  name: string;
  /** Address of another node's listener. */
  pod?: string;
}

/** One container for each question: an answer is an exit code and a log. */
export function probePod(node: SmokeNode, place: number, image: string, targets: Targets): SmokePod {
  const commands: Record<NetworkQuestion, string[] | undefined> = {
    // Any answer will do, since whoever has no certificate is refused: TLS has proved by then who it was.
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

/** Asks cluster DNS once more. */
export function dnsPod(node: SmokeNode, name: string, image: string, wanted: string): SmokePod {
  return podOn(node, name, {
    restartPolicy: "Never",
    containers: [contained({ name: "dns", image, command: nslookup(wanted) })],
  });
}

/** With the dot nothing is appended that other clusters or networks would answer for. */
function nslookup(name: string): string[] {
  return ["nslookup", "-timeout=3", "-retry=5", `${name}.`];
}

/** Up to Talos 1.12 a runtime class brings the GPU's devices in. */
export function gpuPod(node: SmokeNode, place: number, image: string, runtimeClass: string | undefined): SmokePod {
  const limits = { "nvidia.com/gpu": 1 };
  return podOn(node, `gpu-${place}`, {
    restartPolicy: "Never",
    ...(runtimeClass !== undefined && { runtimeClassName: runtimeClass }),
    containers: [contained({ name: "gpu", image, command: ["nvidia-smi", "--list-gpus"], resources: { limits } })],
  });
}

/** The first packets of a pod may go astray while its network is being set up, so it asks again for half a minute. */
function curl(...rest: string[]): string[] {
  const patience = ["--connect-timeout", "3", "--max-time", "5"];
  const again = ["--retry", "8", "--retry-delay", "2", "--retry-max-time", "30", "--retry-all-errors"];
  return ["curl", "--silent", "--show-error", "--output", "/dev/null", ...patience, ...again, ...rest];
}

function inUrl(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** Through the scheduler, as any pod, but to this node only, whatever it is tainted with. */
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
