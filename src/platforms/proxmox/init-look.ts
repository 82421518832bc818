import type { TLSSocket } from "node:tls";
import { asTalosmithError, messageOf } from "@talosmith/lib/errors.ts";
import type { Secret } from "@talosmith/lib/secret.ts";
import type { Trust, World } from "@talosmith/lib/world/world.ts";
import { ProxmoxClient } from "./client/client.ts";
import { bridges, hosts } from "./client/nodes.ts";
import { storages } from "./client/storage.ts";

/** The hosts, storages and bridges of a Proxmox cluster. */
export interface Offer {
  hosts: string[];
  disks: string[];
  images: string[];
  bridges: string[];
}

/** The fingerprint of a server's certificate, or why it cannot be read. Sends no data. */
export async function certificateOf(
  world: World,
  url: string,
  signal: AbortSignal,
): Promise<{ fingerprint: string } | { why: string }> {
  const { hostname, port } = new URL(url);
  try {
    const socket = await world.net.dial({ host: hostname, port: Number(port || 443), tls: { trust: { by: "nobody" } } }, signal);
    const fingerprint = (socket as TLSSocket).getPeerCertificate().fingerprint256;
    socket.destroy();
    return fingerprint ? { fingerprint } : { why: "it shows no certificate" };
  } catch (error) {
    return { why: reason(error) };
  }
}

/** Hosts that are online, with the storages and bridges of the first; or why they cannot be listed. */
export async function offerOf(
  world: World,
  { url, trust, token }: { url: string; trust: Trust; token: Secret },
  signal: AbortSignal,
): Promise<Offer | { why: string }> {
  const client = new ProxmoxClient(world, { url, tls: trust, token }, { calls: 0, bytes: 0 });
  try {
    const online = (await hosts(client, signal)).filter((host) => host.online).map(({ name }) => name);
    const [first] = online;
    if (first === undefined) return { why: "no host is online, or the token has no right to see them" };
    const found = (await storages(client, first, signal)).filter(({ active }) => active);
    const holding = (content: string) => found.filter((one) => one.content.includes(content)).map(({ name }) => name);
    return {
      hosts: online,
      disks: holding("images"),
      images: holding("import"),
      bridges: (await bridges(client, first, signal)).map(({ name }) => name),
    };
  } catch (error) {
    return { why: reason(error) };
  } finally {
    client.close();
  }
}

function reason(error: unknown): string {
  const { kind, message, detail } = asTalosmithError(error);
  if (kind !== "internal") return detail?.split("\n")[0] ?? message;
  return messageOf(error);
}
