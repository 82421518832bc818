import type { Dial, World } from "@talosmith/lib/world/world.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { administrators } from "./administrator.ts";
import { Caller } from "./caller.ts";
import { Channel } from "./channel.ts";
import { configuredNode } from "./configured-node.ts";
import { TALOS_PORT } from "./look.ts";
import { ask } from "./probe.ts";
import type { TalosNodes } from "./talos-nodes.ts";
import { waitingNode } from "./waiting-node.ts";

/** `secrets` is called only when a call needs them, since they may be created during the run. It throws while there are none. */
export function talosNodes(world: World, secrets: () => SecretsBundle): TalosNodes {
  let calls = 0;
  let connections = 0;
  const administratorFor = administrators(world);
  const callers = new Map<string, Caller>();

  const callerOf = (name: string, address: string, tls: () => Promise<Dial["tls"]>): Caller => {
    const known = callers.get(name);
    if (known) return known;
    const dial = async (signal: AbortSignal) => {
      const options = await tls();
      return world.net.dial({ host: address, port: TALOS_PORT, ...(options && { tls: options }) }, signal);
    };
    const host = address.includes(":") ? `[${address}]` : address;
    const caller = new Caller(world.clock, address, new Channel(`https://${host}:${TALOS_PORT}`, dial), () => calls++);
    callers.set(name, caller);
    return caller;
  };
  const asAdministrator = (address: string, name = address) =>
    callerOf(name, address, async () => {
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
    waiting: (address, key) =>
      waitingNode(
        callerOf(`${address} ${key}`, address, async () => ({
          trust: { by: "key", sha256: key },
          serverName: address,
          alpn: ["h2"],
        })),
      ),
    node: (address) => configuredNode(asAdministrator(address)),
    afresh: (address) => {
      const name = `${address} afresh ${++connections}`;
      const caller = asAdministrator(address, name);
      const close = () => {
        caller.channel.close();
        callers.delete(name);
      };
      return { node: configuredNode(caller), close };
    },
    calls: () => calls,
    close: () => {
      for (const caller of callers.values()) caller.channel.close();
      callers.clear();
    },
  };
}
