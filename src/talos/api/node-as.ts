import type { World } from "@talosmith/lib/world/world.ts";
import type { TalosIdentity } from "../access/talosconfig.ts";
import { Caller } from "./caller.ts";
import { Channel } from "./channel.ts";
import { configuredNode } from "./configured-node.ts";
import { TALOS_PORT } from "./look.ts";
import type { TalosNode } from "./talos-node.ts";

/** A node with the identity of a talosconfig, for commands without secrets.yaml. */
export function talosNodeAs(
  world: World,
  address: string,
  { ca, certificate, key }: TalosIdentity,
): { node: TalosNode; close(): void } {
  const host = address.includes(":") ? `[${address}]` : address;
  const tls = { trust: { by: "ca", pem: ca } as const, serverName: address, alpn: ["h2"], certificate, key };
  const dial = (signal: AbortSignal) => world.net.dial({ host: address, port: TALOS_PORT, tls }, signal);
  const channel = new Channel(`https://${host}:${TALOS_PORT}`, dial);
  return { node: configuredNode(new Caller(world.clock, address, channel, () => {})), close: () => channel.close() };
}
