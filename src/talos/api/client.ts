import type { Dial, World } from "@talosmith/lib/world/world.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { administrators } from "./administrator.ts";
import type { Caller } from "./caller.ts";
import { deferredNode, deferredWaitingNode } from "./deferred-node.ts";
import { TALOS_PORT } from "./look.ts";
import { ask } from "./probe.ts";
import type { TalosNode } from "./talos-node.ts";
import type { TalosNodes, WaitingNode } from "./talos-nodes.ts";

/** The gRPC connection to one node. The client is large: it is loaded for the first node that answers. */
export interface Line {
  readonly address: string;
  /** Whether there seems to be a connection; sends nothing to check it. */
  isOpen(): boolean;
  node(): Promise<TalosNode>;
  waiting(): Promise<WaitingNode>;
  close(): void;
}

/** `secrets` is called only when a call needs them, since they may be created during the run. It throws while there are none. */
export function talosNodes(world: World, secrets: () => SecretsBundle): TalosNodes {
  let calls = 0;
  let connections = 0;
  const administratorFor = administrators(world);
  const lines = new Map<string, Line>();

  const lineTo = (name: string, address: string, tls: () => Promise<Dial["tls"]>): Line => {
    const known = lines.get(name);
    if (known) return known;
    const dial = async (signal: AbortSignal) => {
      const options = await tls();
      return world.net.dial({ host: address, port: TALOS_PORT, ...(options && { tls: options }) }, signal);
    };
    const host = address.includes(":") ? `[${address}]` : address;
    const line = newLine(address, async () => {
      const [{ Caller }, { Channel }] = await Promise.all([import("./caller.ts"), import("./channel.ts")]);
      return new Caller(world.clock, address, new Channel(`https://${host}:${TALOS_PORT}`, dial), () => calls++);
    });
    lines.set(name, line);
    return line;
  };
  const asAdministrator = (address: string, name = address) =>
    lineTo(name, address, async () => {
      const bundle = secrets();
      const trust = { by: "ca", pem: bundle.certs.os.certificate } as const;
      return { trust, serverName: address, alpn: ["h2"], ...(await administratorFor(bundle)) };
    });

  return {
    probe: async (address, signal) => {
      const answered = await ask(world, asAdministrator(address), secrets, (node) => node.version(signal), signal);
      return answered.is === "ours" ? { is: "ours" } : answered;
    },
    ask: (address, question, signal) => ask(world, asAdministrator(address), secrets, question, signal),
    waiting: (address, key) => {
      const tls: Dial["tls"] = { trust: { by: "key", sha256: key }, serverName: address, alpn: ["h2"] };
      return deferredWaitingNode(lineTo(`${address} ${key}`, address, async () => tls).waiting);
    },
    node: (address) => deferredNode(address, asAdministrator(address).node),
    afresh: (address) => {
      const name = `${address} afresh ${++connections}`;
      const line = asAdministrator(address, name);
      const close = () => {
        line.close();
        lines.delete(name);
      };
      return { node: deferredNode(address, line.node), close };
    },
    calls: () => calls,
    close: () => {
      for (const line of lines.values()) line.close();
      lines.clear();
    },
  };
}

function newLine(address: string, open: () => Promise<Caller>): Line {
  let opening: Promise<Caller> | undefined;
  let caller: Caller | undefined;
  const opened = () => {
    opening ??= open().then((made) => {
      caller = made;
      return made;
    });
    return opening;
  };
  return {
    address,
    isOpen: () => caller?.channel.isOpen ?? false,
    node: async () => {
      const { configuredNode } = await import("./configured-node.ts");
      return configuredNode(await opened());
    },
    waiting: async () => {
      const { waitingNode } = await import("./waiting-node.ts");
      return waitingNode(await opened());
    },
    close: () => {
      if (caller) caller.channel.close();
      else void opening?.then(({ channel }) => channel.close());
    },
  };
}
