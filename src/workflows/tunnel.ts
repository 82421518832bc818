import type { Socket } from "node:net";
import { asTalosmithError, messageOf, remoteError, TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Listener, World } from "@talosmith/lib/world/world.ts";
import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { nodeWorld } from "./reach.ts";

const KUBERNETES_PORT = 6443;
const HERE = "127.0.0.1";

interface Place {
  name: string;
  address: string;
}

/** `talosmith tunnel`: serves the Kubernetes API on this computer, connected as `network.via` says, until it is interrupted. */
export async function openTunnel(session: Session & { redactor: Redactor }, folder: string, port = 0): Promise<number> {
  const { bus, signal } = session;
  const env = openEnvironment(session.world, folder, session.redactor);
  const reach = nodeWorld(session.world, env.config);
  const places = env.config.nodes
    .filter((node) => node.role === "controlplane")
    .map((node): Place => ({ name: node.name, address: node.ip }));
  const connect = connector(reach.world, places, signal);
  let listener: Listener | undefined;
  try {
    const unready = await notReady(connect);
    let count = 0;
    listener = await listen(session.world, port, (socket) => {
      const number = ++count;
      const say = (level: "info" | "warn", message: string) =>
        bus.emit({ type: "notice", level, message: `connection ${number} ${message}` });
      serve(socket, connect, say);
    });
    announce(session, env, listener.port);
    if (unready) bus.emit({ type: "notice", level: "warn", message: unready });
    await interrupted(signal);
    return 0;
  } finally {
    await listener?.close();
    reach.close();
  }
}

type Connect = () => Promise<{ socket: Socket; to: Place }>;

/** Connects to the control plane that answered last, else to the first that answers. */
function connector(world: World, places: readonly Place[], signal: AbortSignal): Connect {
  let order = [...places];
  return async () => {
    const reasons: string[] = [];
    for (const to of order) {
      try {
        const socket = await world.net.dial({ host: to.address, port: KUBERNETES_PORT }, signal);
        order = [to, ...order.filter((other) => other !== to)];
        return { socket, to };
      } catch (error) {
        signal.throwIfAborted();
        // The SSH host cannot be used: the other control planes are behind it, too.
        if (error instanceof TalosmithError) throw error;
        reasons.push(`${to.name} (${to.address}:${KUBERNETES_PORT}): ${messageOf(error)}`);
      }
    }
    throw remoteError("TUNNEL_NO_ANSWER", {
      message: "no control plane answers",
      detail: reasons.join("\n"),
      hint: `the cluster may not be up yet:  ${ownCommand("status", typedEnvironment())}`,
      transient: true,
    });
  };
}

/** Returns a warning if the cluster is not up yet; an error that will not go away ends the command. */
async function notReady(connect: Connect): Promise<string | undefined> {
  try {
    (await connect()).socket.destroy();
    return undefined;
  } catch (error) {
    if (!(error instanceof TalosmithError) || !error.transient) throw error;
    return `${error.message}; the tunnel is open, and connects as soon as one does`;
  }
}

async function listen(world: World, port: number, accept: (socket: Socket) => void): Promise<Listener> {
  try {
    return await world.net.listen({ host: HERE, port }, accept);
  } catch (error) {
    throw userError("TUNNEL_PORT", {
      message: `Unable to listen on ${HERE}:${port}`,
      detail: messageOf(error),
      hint: "choose another --port, or leave it out to get one that is free",
      cause: error,
    });
  }
}

async function serve(local: Socket, connect: Connect, say: (level: "info" | "warn", message: string) => void): Promise<void> {
  local.on("error", () => {});
  try {
    const { socket, to } = await connect();
    if (local.destroyed) return void socket.destroy();
    say("info", `to ${to.name} (${to.address}:${KUBERNETES_PORT})`);
    socket.on("error", (error) => say("warn", `was lost: ${error.message}`));
    local.pipe(socket).pipe(local);
    local.on("close", () => socket.destroy());
    socket.on("close", () => local.destroySoon());
  } catch (error) {
    local.destroy();
    say("warn", `failed: ${asTalosmithError(error).message}`);
  }
}

function announce({ bus }: Session, env: Environment, port: number): void {
  const { cluster, network } = env.config;
  const server = `https://${HERE}:${port}`;
  const via = network.via === "ssh" && network.ssh ? `ssh ${network.ssh.user}@${network.ssh.host}` : "direct";
  bus.emit({
    type: "result",
    result: {
      kind: "facts",
      name: "tunnel",
      title: `the Kubernetes API of ${cluster.name} is at ${server} until Ctrl-C`,
      facts: [
        { key: "address", label: "address", value: server },
        { key: "via", label: "via", value: via },
        { key: "serverName", label: "certificate of", value: cluster.endpoint },
      ],
      // The certificate is made out to the endpoint, wherever the connection begins.
      next: [`kubectl --kubeconfig ${env.shown}/kubeconfig --server ${server} --tls-server-name ${cluster.endpoint} get nodes`],
    },
  });
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
