import { existing, type RouteCall } from "../api/handle.ts";
import { chosenContainer } from "../api/logs.ts";
import { badRequest } from "../api/status.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { livingCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { answerOfPort } from "../pods/reach.ts";
import { builtin } from "../resources/catalogue.ts";
import { followLog } from "../store/log-followers.ts";
import { read } from "../store/store.ts";
import type { Channels, StreamSelection } from "../streams/channels.ts";
import type { Forwarded } from "../streams/port-forward.ts";
import { runInside } from "./run.ts";

/** The target of a client's connection: a command (exec), a container's own program (attach), or a pod's ports. */
export type Connection = { lost(): void } & (
  | { is: "command"; wanted: StreamSelection; run(channels: Channels): void }
  | { is: "forward"; pod: Forwarded }
);

/** Runs in a turn: an invalid request throws. */
export function connectionTo(asked: RouteCall): Connection {
  const pod = existing(asked);
  const gone = new AbortController();
  const lost = () => gone.abort(new Error("the client has gone"));
  if (asked.target.subresource === "portforward") {
    requireNode(pod);
    return { is: "forward", pod: forwarded(asked.cluster, pod), lost };
  }
  const { query } = asked.incoming;
  const container = chosenContainer(pod, query.get("container"));
  requireNode(pod);
  const flag = (name: string) => ["true", "1"].includes(query.get(name) ?? "");
  const tty = flag("tty");
  const wanted: StreamSelection = { stdin: flag("stdin"), stdout: flag("stdout"), stderr: flag("stderr") && !tty, tty };
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr) {
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  }
  const it = asked.cluster.state.kubelet[pod.metadata.uid]?.containers[container];
  const command = query.getAll("command");
  if (asked.target.subresource === "exec" && command.length === 0) throw badRequest("you must specify a command");
  return {
    is: "command",
    wanted,
    lost,
    run: (channels) => {
      if (it?.is !== "running") return channels.end(internalError(`container not found (${JSON.stringify(container)})`));
      const life = `${pod.metadata.uid}/${container}/${it.restarts}`;
      if (asked.target.subresource === "attach") return attach(asked.cluster, life, channels, gone.signal);
      runInside({ cluster: asked.cluster, pod, container, life, tty, signal: gone.signal }, command, channels).then(
        (code) => channels.end(exited(code)),
        (error: Error) => channels.end(internalError(error.message)),
      );
    },
  };
}

function requireNode({ metadata, spec }: KubeObject): void {
  if (!spec.nodeName) throw badRequest(`pod ${metadata.name} does not have a host assigned`);
}

/** Streams the program's further output; the program reads no input. */
function attach({ lab }: SimulatedCluster, life: string, channels: Channels, signal: AbortSignal): void {
  const stop = followLog(lab, {
    key: life,
    tell: ({ text }) => channels.write("stdout", Buffer.from(`${text}\n`)),
    end: () => {
      stop();
      channels.end(SUCCESS);
    },
  });
  channels.stdin.resume();
  signal.addEventListener("abort", stop, { once: true });
}

const SUCCESS = { metadata: {}, status: "Success" };

function exited(code: number): Loose {
  if (code === 0) return SUCCESS;
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: error executing command, exit code ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

function internalError(why: string): Loose {
  const message = `Internal error occurred: unable to upgrade connection: ${why}`;
  return {
    metadata: {},
    status: "Failure",
    message,
    reason: "InternalError",
    details: { causes: [{ message: why }] },
    code: 500,
  };
}

/** Reads the pod anew at each connection: it may be replaced or deleted by then. */
function forwarded({ lab, key }: SimulatedCluster, { metadata: { namespace, name, uid } }: KubeObject): Forwarded {
  const now = () => {
    const cluster = livingCluster(lab, key);
    const pod = cluster && read(cluster, builtin("pods"), namespace, name);
    return cluster && pod?.metadata.uid === uid ? { cluster, pod } : undefined;
  };
  return {
    lab,
    ask: (port, path) => {
      const found = now();
      return found && answerOfPort(found.cluster, found.pod, { port, path });
    },
    refusal: (port) => {
      const why = `failed to connect to localhost:${port} inside namespace ${JSON.stringify(uid)}, IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6: address localhost: no suitable address found`;
      return `error forwarding port ${port} to pod ${uid.replaceAll("-", "")}, uid : failed to execute portforward in network namespace "/var/run/netns/cni-${uid}": ${why} `;
    },
  };
}
