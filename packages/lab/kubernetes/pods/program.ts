/** A program in a container, and everything it can access: never the lab's state. */
export interface Process {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Mounted files by their paths. */
  files: Readonly<Record<string, string>>;
  log(line: string): void;
  /** Sends a request over the network of this pod. */
  fetch: (url: string, request?: PodRequest) => Promise<PodAnswer>;
  /** Resolves a name through cluster DNS. */
  resolve(name: string): Promise<Resolved>;
  /** Virtual time. */
  sleep(ms: number): Promise<void>;
  /** Milliseconds since the epoch, in virtual time. */
  now(): number;
  /** Aborted when the container is stopped. */
  signal: AbortSignal;
  /** The program was running when the lab was restored from a snapshot, and starts again: half-done work may be its own. */
  begunAgain: boolean;
}

export interface PodRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The only trusted CA, in PEM. */
  ca?: string;
  /** Accepts any certificate. */
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
  /** The DNS server. */
  server: string;
}

/** A request to a port of the pod. */
export interface Visit {
  argv: readonly string[];
  hostname: string;
  port: number;
  /** Includes the query. */
  path: string;
}

/** Returns the exit code, or "stays" when it is up and runs until it is stopped. */
export type Program = (process: Process) => Promise<number | "stays">;

/** A controller, called when it is ready and one of these resources has changed; it leaves correct objects unchanged. */
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
  /** Arguments after the entrypoint, unless a container sets its own. */
  cmd?: readonly string[];
  /** Without a program the container just runs. */
  program?: Program;
  /** Commands that `exec` can run with the program: "curl". */
  tools?: readonly string[];
  /** Answers requests while the container is ready; undefined = the port is closed. Pure, so that it works without a running program. */
  answers?: (visit: Visit) => (Pick<PodAnswer, "status"> & { body: string }) | undefined;
  controls?: Controls;
  /** Devices that it announces to its node's kubelet while it is ready, derived from its command and files: "nvidia.com/gpu". */
  announces?: (command: readonly string[], files: Readonly<Record<string, string>>) => Record<string, string>;
  /** Time from its start until it is ready. */
  readyMs?: number;
  /** When it is ready, its node's network is ready. */
  cni?: true;
  /** Routes traffic to service addresses. */
  proxy?: true;
}

/** The command line of a container: its command replaces the image's entrypoint and arguments, its args only the arguments. */
export function argvOf(
  image: Image | undefined,
  { command, args }: { command?: readonly string[]; args?: readonly string[] },
): string[] {
  return [...(command ?? image?.entrypoint ?? []), ...(args ?? (command ? [] : (image?.cmd ?? [])))];
}

/** The repository of an image: "quay.io/cilium/cilium:v1.20.1@sha256:…" → "cilium/cilium" */
export function repositoryOf(reference: string): string {
  const untagged = reference.replace(/@.*$/, "").replace(/:[^/:]+$/, "");
  const [first = "", ...rest] = untagged.split("/");
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  return (hasRegistry ? rest : [first, ...rest]).join("/");
}
