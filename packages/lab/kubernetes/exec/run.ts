import type { SimulatedCluster } from "../cluster.ts";
import { findImage } from "../images/images.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { environmentOf, filesOf } from "../pods/environment.ts";
import { Connections } from "../pods/http.ts";
import { podFetch, podLookUp, type Standpoint } from "../pods/network.ts";
import type { Process } from "../pods/program.ts";
import { followLog } from "../store/log-followers.ts";
import type { Channels } from "../streams/channels.ts";
import { type Output, runCommand } from "./command.ts";
import { Files, type WrittenFile } from "./files.ts";
import type { Inside } from "./invocation.ts";
import { typedLines } from "./terminal.ts";

export interface Place {
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

/** Runs a command in a container and gives its exit code; a container that ends takes it along. */
export async function runInside(place: Place, argv: readonly string[], channels: Channels): Promise<number> {
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

async function run(place: Place, argv: readonly string[], channels: Channels, signal: AbortSignal): Promise<number> {
  const { inside, env } = place.cluster.lab.turn(() => look(place, signal));
  const to =
    (channel: "stdout" | "stderr"): Output =>
    (bytes) => {
      // As a terminal's line discipline does on the way out.
      const shown = place.tty ? Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1") : bytes;
      if (!signal.aborted) channels.write(channel, shown);
    };
  const out = to("stdout");
  const { stdin } = channels;
  const lines = place.tty ? typedLines(stdin, (text) => out(Buffer.from(text))) : undefined;
  return runCommand(argv, { inside, env, alive: signal }, { stdin, out, err: to("stderr") }, lines);
}

function look(place: Place, signal: AbortSignal): { inside: Inside; env: Record<string, string> } {
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

function containerOf({ pod: { spec }, container }: Place): Loose {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [...containers, ...initContainers, ...ephemeralContainers].find((one: Loose) => one.name === container);
}

/** A command that the program of the image knows, with the network of its pod. */
async function runTool(place: Place, own: Pick<Process, "argv" | "env" | "files" | "signal" | "log">): Promise<number> {
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
