import type { SimulatedCluster } from "../cluster.ts";
import { findImage } from "../images/images.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { environmentOf, filesOf } from "../pods/environment.ts";
import { Connections } from "../pods/http.ts";
import { podFetch, podLookUp, type Standpoint } from "../pods/network.ts";
import type { Process } from "../pods/program.ts";
import { followLog } from "../store/log-followers.ts";
import type { Channels } from "../streams/channels.ts";
import { Files, type WrittenFile } from "./files.ts";
import type { Inside, Output } from "./invocation.ts";
import { runCommand } from "./shell.ts";
import { typedLines } from "./terminal.ts";

export interface ContainerRef {
  cluster: SimulatedCluster;
  pod: KubeObject;
  container: string;
  /** "<pod uid>/<container>/<restart>" */
  life: string;
  tty: boolean;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

const KILLED = 137;

/** Runs a command in a container and returns its exit code; it ends when the container ends. */
export async function runInside(place: ContainerRef, argv: readonly string[], channels: Channels): Promise<number> {
  const { cluster, life, signal } = place;
  const { lab } = cluster;
  const stop = new AbortController();
  const abort = () => stop.abort(new Error("the command was stopped"));
  for (const one of [signal, lab.closing]) one.addEventListener("abort", abort, { once: true });
  const unfollow = followLog(lab, { key: life, tell: () => {}, end: abort });
  const killed = new Promise<number>((resolve) => {
    stop.signal.addEventListener("abort", () => resolve(KILLED), { once: true });
  });
  try {
    return await Promise.race([killed, run(place, argv, channels, stop.signal)]);
  } finally {
    unfollow();
    lab.closing.removeEventListener("abort", abort);
  }
}

async function run(place: ContainerRef, argv: readonly string[], channels: Channels, signal: AbortSignal): Promise<number> {
  const { inside, env } = place.cluster.lab.turn(() => look(place, signal));
  const to =
    (channel: "stdout" | "stderr"): Output =>
    (content) => {
      const bytes = Buffer.from(content);
      // The output conversion of a terminal's line discipline.
      const shown = place.tty ? Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1") : bytes;
      if (!signal.aborted) channels.write(channel, shown);
    };
  const out = to("stdout");
  const lines = place.tty ? typedLines(channels.stdin, out) : undefined;
  return runCommand(argv, { inside, env, folder: "/", stdin: channels.stdin, out, err: to("stderr") }, lines);
}

function look(place: ContainerRef, signal: AbortSignal): { inside: Inside; env: Record<string, string> } {
  const { cluster, pod, life } = place;
  const { lab, state } = cluster;
  const container = containerOf(place);
  const env = environmentOf(cluster, pod, container);
  const mounted = filesOf(cluster, pod, container);
  const hostname: string = pod.spec.hostNetwork ? pod.spec.nodeName : (pod.spec.hostname ?? pod.metadata.name);
  const given = {
    "/etc/hostname": `${hostname}\n`,
    "/etc/hosts": `127.0.0.1\tlocalhost\n${pod.status?.podIP ?? ""}\t${hostname}\n`,
    ...mounted,
  };
  const mounts: string[] = (container.volumeMounts ?? []).map((mount: Loose) => mount.mountPath.replace(/\/$/, ""));
  state.written ??= {};
  const written = state.written[life] ?? {};
  state.written[life] = written;
  const change = (path: string, entry: WrittenFile) =>
    lab.turn(() => {
      written[path] = entry;
    });
  const inside: Inside = {
    files: new Files(given, mounts, { written, change }),
    hostname,
    user: container.securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser ?? 0,
    tools: findImage(container.image)?.tools ?? [],
    runTool: (argv, out) => runTool(place, { argv, env, files: mounted, signal, log: (line) => out(`${line}\n`) }),
    sleep: (ms) => lab.sleep(ms, signal),
    now: () => lab.now(),
  };
  return { env, inside };
}

function containerOf({ pod: { spec }, container }: ContainerRef): Loose {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [...containers, ...initContainers, ...ephemeralContainers].find((one: Loose) => one.name === container);
}

/** Runs a command of the image's own program, with the network of its pod. */
async function runTool(place: ContainerRef, own: Pick<Process, "argv" | "env" | "files" | "signal" | "log">): Promise<number> {
  const { lab, key } = place.cluster;
  const { nodeName, hostNetwork } = place.pod.spec;
  const standpoint: Standpoint = { cluster: key, node: nodeName, hostNetwork: hostNetwork === true };
  const connections = new Connections(lab.world, own.signal);
  const code = await findImage(containerOf(place).image)?.program?.({
    ...own,
    fetch: (url, request = {}) => podFetch(lab, standpoint, url, request, connections),
    resolve: async (name) => lab.turn(() => podLookUp(lab, standpoint, name)),
    sleep: (ms) => lab.sleep(ms, own.signal),
    now: () => lab.now(),
    begunAgain: false,
  });
  connections.close();
  return typeof code === "number" ? code : 0;
}
