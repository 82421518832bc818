import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import type { LogLine } from "../state.ts";
import { badRequest } from "./status.ts";

export interface LogRequest {
  /** Key in the state's logs. */
  key: string;
  lines: readonly LogLine[];
  follow: boolean;
  show(line: LogLine): string;
}

/** Reads a log request, as sent by `kubectl logs`. */
export function readLogs(cluster: SimulatedCluster, pod: KubeObject, query: URLSearchParams): LogRequest {
  const container = chosenContainer(pod, query.get("container"));
  const status: Loose = [
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.ephemeralContainerStatuses ?? []),
  ].find((it: Loose) => it.name === container);
  const previous = query.get("previous") === "true";
  const restart = (status?.restartCount ?? 0) - (previous ? 1 : 0);
  const where = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)}`;
  if (previous && restart < 0) throw badRequest(`previous terminated ${where} not found`);
  const waiting = status?.state?.waiting?.reason;
  const key = `${pod.metadata.uid}/${container}/${restart}`;
  const written = cluster.state.logs[key];
  // A pod without a node has no kubelet to ask.
  if (!written && pod.spec.nodeName && (waiting || !status)) throw badRequest(refusal(where, waiting));
  const lines = written ?? [];
  const seconds = Number(query.get("sinceSeconds") ?? 0);
  const since = seconds > 0 ? cluster.lab.now() - seconds * 1000 : Date.parse(query.get("sinceTime") ?? "");
  const recent = Number.isNaN(since) ? lines : lines.filter(({ at }) => at >= since);
  const tail = query.get("tailLines");
  const timestamps = query.get("timestamps") === "true";
  return {
    key,
    lines: tail === null ? recent : Number(tail) === 0 ? [] : recent.slice(-Number(tail)),
    follow: query.get("follow") === "true" && status?.state?.running !== undefined,
    show: ({ at, text }) => `${timestamps ? `${new Date(at).toISOString().replace("Z", "000000Z")} ` : ""}${text}\n`,
  };
}

function refusal(where: string, waiting: string | undefined): string {
  if (waiting === "ImagePullBackOff" || waiting === "ErrImagePull") {
    return `${where} is waiting to start: trying and failing to pull image`;
  }
  return `${where} is waiting to start: ${waiting ?? "ContainerCreating"}`;
}

export function chosenContainer({ metadata, spec }: KubeObject, asked: string | null): string {
  const names = (list: Loose[] | undefined): string[] => (list ?? []).map(({ name }) => name);
  const all = [...names(spec.containers), ...names(spec.initContainers), ...names(spec.ephemeralContainers)];
  if (asked) {
    if (all.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`);
  }
  const [only = "", ...others] = names(spec.containers);
  if (others.length === 0) return only;
  const choices = `[${[only, ...others].join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: ${choices}`);
}
