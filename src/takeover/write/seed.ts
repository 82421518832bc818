import type { World } from "@talosmith/lib/world/world.ts";
import { configVolume } from "../disk/config-volume.ts";
import type { Disk, DiskWrite } from "../disk/disk-write.ts";
import { metaRange, withMeta } from "../disk/meta.ts";
import { NETWORK_KEY, networkMeta, type SeedNetwork } from "../disk/network-meta.ts";
import { withConfigVolume } from "../disk/with-config-volume.ts";
import type { Shell } from "../shell.ts";
import { readRange } from "./ranges.ts";

/** The content that a node finds on its disk: its whole config, or the network settings with which it waits for its config. */
export type Seed = { readonly is: "config"; readonly text: string } | { readonly is: "network"; readonly network: SeedNetwork };

export interface Sown {
  /** The writes after the head, made first. */
  readonly behind: readonly DiskWrite[];
  /** The image's head that matches them. */
  readonly head: Buffer;
}

export async function sow(
  shell: Shell,
  { path, ...disk }: Disk & { path: string },
  head: Buffer,
  seed: Seed,
  c: { world: World; signal: AbortSignal },
): Promise<Sown> {
  if (seed.is === "config")
    return apart(head, withConfigVolume(head, disk, configVolume(seed.text), { partition: uuid(c.world) }));
  const meta = await readRange(shell, path, metaRange(head), c.signal);
  return apart(head, withMeta(head, meta, new Map([[NETWORK_KEY, networkMeta(seed.network)]])));
}

function apart(head: Buffer, writes: readonly DiskWrite[]): Sown {
  const next = Buffer.from(head);
  for (const { offset, bytes } of writes) if (offset < head.length) bytes.copy(next, offset);
  return { behind: writes.filter(({ offset }) => offset >= head.length), head: next };
}

/** A random UUID (RFC 9562, version 4). */
function uuid(world: World): string {
  const bytes = Buffer.from(world.random.bytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
