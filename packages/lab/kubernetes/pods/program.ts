/** A program in a container, and all it sees: never the lab's state. */
export interface Process {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Mounted files by their paths. */
  files: Readonly<Record<string, string>>;
  log(line: string): void;
  /** The network as this pod sees it. */
  fetch: (url: string, request?: PodRequest) => Promise<PodAnswer>;
  /** What cluster DNS says to this pod. */
  resolve(name: string): Promise<Resolved>;
  /** Virtual time. */
  sleep(ms: number): Promise<void>;
  /** Milliseconds since the epoch, in virtual time. */
  now(): number;
  /** Aborted when the container is stopped. */
  signal: AbortSignal;
  /** It was under way when the lab was restored from a snapshot, and begins anew: what it finds half-done may be its own. */
  begunAgain: boolean;
}

export interface PodRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The CA to believe, in PEM; nobody else is believed then. */
  ca?: string;
  /** Whoever answers is believed. */
  insecure?: boolean;
}

export interface PodAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface Resolved {
  name: string;
  address: string;
  /** Who said so. */
  server: string;
}

/** Somebody asks a port of the pod. */
export interface Visit {
  argv: readonly string[];
  hostname: string;
  port: number;
  /** With the query. */
  path: string;
}

/** Its exit code, or "stays" once it is up and goes on until it is stopped. */
export type Program = (process: Process) => Promise<number | "stays">;

/** What a controller does, once it is ready, whenever one of these resources has changed; what it finds right it leaves alone. */
export interface Controls {
  /** "nodes", "gitrepositories.source.toolkit.fluxcd.io" */
  watches: readonly string[];
  act(process: Process): Promise<void>;
}

export interface Image {
  /** Without registry and tag: "alpine/helm". */
  name: string;
  pullMs: number;
  entrypoint: readonly string[];
  /** Follows the entrypoint unless a container says otherwise. */
  cmd?: readonly string[];
  /** Without one it just runs. */
  program?: Program;
  /** Commands that `exec` can run with the program: "curl". */
  tools?: readonly string[];
  /** What it says to whoever asks it while it is ready; undefined = nobody listens there. Pure, so that it needs no program at work. */
  answers?: (visit: Visit) => (Pick<PodAnswer, "status"> & { body: string }) | undefined;
  controls?: Controls;
  /** The devices it tells its node's kubelet of while it is ready, from its command and files: "nvidia.com/gpu". */
  announces?: (command: readonly string[], files: Readonly<Record<string, string>>) => Record<string, string>;
  /** From its start until it is ready. */
  readyMs?: number;
  /** Its being ready is what makes a node's network ready. */
  cni?: true;
  /** Carries traffic to service addresses. */
  proxy?: true;
}

/** What a container runs: its command replaces all that its image says, its args what follows the entrypoint. */
export function argvOf(
  image: Image | undefined,
  { command, args }: { command?: readonly string[]; args?: readonly string[] },
): string[] {
  return [...(command ?? image?.entrypoint ?? []), ...(args ?? (command ? [] : (image?.cmd ?? [])))];
}

/** "quay.io/cilium/cilium:v1.20.1@sha256:…" → "cilium/cilium" */
export function repositoryOf(reference: string): string {
  const untagged = reference.replace(/@.*$/, "").replace(/:[^/:]+$/, "");
  const [first = "", ...rest] = untagged.split("/");
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  return (hasRegistry ? rest : [first, ...rest]).join("/");
}
