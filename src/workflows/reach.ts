import { hasCode } from "@talosmith/lib/errors.ts";
import { connectSsh, type SshConnection } from "@talosmith/lib/ssh/ssh.ts";
import type { Net, World } from "@talosmith/lib/world/world.ts";
import type { Config } from "../config/config.ts";

export interface Reach {
  /** The world in which the nodes' addresses can be dialled. */
  world: World;
  close(): void;
}

/** Returns the world in which the nodes can be dialled: directly, or through the SSH host of `network.via: ssh`, connected at the first dial. */
export function nodeWorld(world: World, config: Config): Reach {
  const { via, ssh } = config.network;
  if (via === "direct" || ssh === undefined) return { world, close: () => {} };
  let connecting: Promise<SshConnection> | undefined;
  let closed = false;
  const connection = (): Promise<SshConnection> => {
    connecting ??= connectSsh(world, ssh).catch((error: unknown) => {
      // The next dial tries the host again.
      connecting = undefined;
      throw error;
    });
    return connecting;
  };
  const dial: Net["dial"] = async (to, signal) => {
    signal?.throwIfAborted();
    if (to.over) return world.net.dial(to, signal);
    if (closed) throw new Error("the way to the nodes is closed");
    const stream = await (await connection()).forward(to.host, to.port, signal).catch((error: unknown) => {
      throw asDialled(error);
    });
    if (!to.tls) return stream;
    return world.net.dial({ ...to, over: stream }, signal).catch((error: unknown) => {
      stream.destroy();
      throw error;
    });
  };
  return {
    world: { ...world, net: { ...world.net, dial } },
    close: () => {
      closed = true;
      connecting?.then(
        (one) => one.close(),
        () => {},
      );
    },
  };
}

/** The cause of a failed forward, as if the address had been dialled directly: the caller decides what it means. */
function asDialled(error: unknown): unknown {
  return hasCode(error, "SSH_FORWARD") ? (error.cause ?? error) : error;
}
