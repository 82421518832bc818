import { createHash } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { configVolume } from "../../../src/takeover/disk/config-volume.ts";
import { type DiskRange, type DiskWrite, tableRange } from "../../../src/takeover/disk/disk-write.ts";
import { metaRange, withMeta } from "../../../src/takeover/disk/meta.ts";
import { NETWORK_KEY, networkMeta, type SeedNetwork } from "../../../src/takeover/disk/network-meta.ts";
import { withConfigVolume } from "../../../src/takeover/disk/with-config-volume.ts";

// Makes disks (sparse files) out of the beginning of an image, and prints one line of JSON for each: what must be found on it.

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const [folder = "", image = ""] = process.argv.slice(2);
const source = openSync(image, "r");
const table = read(source, tableRange());
const meta = { range: metaRange(table), bytes: read(source, metaRange(table)) };
const IMAGE_KEYS = { 12: "set when the image was made" };

/** Round and odd ones, up to what a 32-bit MBR cannot say any more. */
const SIZES = [10 * GIB, 20 * GIB + 512, 40_007_761_920, 64 * GIB - 512 * 63, 500_107_862_016, 3 * 1024 * GIB];
const CONFIGS = [1, 2047, 2048, 2049, 40_000, 1_000_000, 3_000_000];

for (const [n, bytes] of SIZES.entries())
  for (const [m, length] of CONFIGS.entries()) {
    const config = `# ${"äx".repeat(length)}`.slice(0, length);
    const id = uuid(`${n} ${m}`);
    const volume = configVolume(config);
    const disk = { bytes, sectorBytes: 512 };
    const file = makeDisk(`config-${n}-${m}`, bytes, (to) => {
      leftovers(to, bytes);
      // Killed behind the table, and begun again: there is one already.
      if (m % 2 === 1) write(to, withConfigVolume(table, disk, configVolume("old"), { partition: uuid("old") }));
      write(to, withConfigVolume(read(to, tableRange()), disk, volume, { partition: id }));
    });
    print({ file, grow: true, what: `${bytes} bytes, config of ${length}`, bytes, id, config: sha256(config), keys: IMAGE_KEYS });
  }

const link = "enx525400abcdef";
const common = { outLinkName: link, table: "main", priority: 1024, type: "unicast", protocol: "static", layer: "platform" };
const NETWORKS: [SeedNetwork, object][] = [
  [
    {
      hostname: "vps-1",
      mac: "52:54:00:AB:CD:EF",
      addresses: [
        { ip: "203.0.113.11", prefix: 32, gateway: "172.31.1.1" },
        { ip: "2001:db8::2", prefix: 64, gateway: "fe80::1" },
      ],
      nameservers: ["1.1.1.1", "2606:4700:4700::1111"],
      timeServers: ["time.example"],
      mtu: 1400,
    },
    {
      addresses: [
        { address: "203.0.113.11/32", linkName: link, family: "inet4", scope: "global", flags: "permanent", layer: "platform" },
        { address: "2001:db8::2/64", linkName: link, family: "inet6", scope: "global", flags: "permanent", layer: "platform" },
      ],
      links: [{ name: link, up: true, mtu: 1400, layer: "platform" }],
      routes: [
        { family: "inet4", dst: "172.31.1.1/32", scope: "link", ...common },
        { family: "inet4", gateway: "172.31.1.1", scope: "global", ...common },
        { family: "inet6", gateway: "fe80::1", scope: "global", ...common },
      ],
      hostnames: [{ hostname: "vps-1", layer: "platform" }],
      resolvers: [{ dnsServers: ["1.1.1.1", "2606:4700:4700::1111"], layer: "platform" }],
      timeServers: [{ timeServers: ["time.example"], layer: "platform" }],
    },
  ],
];
for (const [n, [network, expected]] of NETWORKS.entries()) {
  const text = networkMeta(network);
  const bytes = SIZES[n] as number;
  const file = makeDisk(`network-${n}`, bytes, (to) => {
    leftovers(to, bytes);
    // The end of the disk is cleared before an image is written; a network does not reach that far.
    write(to, [
      { offset: bytes - MIB, bytes: Buffer.alloc(MIB) },
      ...withMeta(table, read(to, meta.range), new Map([[NETWORK_KEY, text]])),
    ]);
  });
  print({ file, grow: true, what: `network ${n}`, bytes, keys: { ...IMAGE_KEYS, [NETWORK_KEY]: text }, network: expected });
}

/** As after `dd`: the image at the beginning, the rest as it was. */
function makeDisk(name: string, bytes: number, fill: (to: number) => void): string {
  const file = join(folder, name);
  const to = openSync(file, "w+");
  ftruncateSync(to, bytes);
  write(to, [
    { offset: 0, bytes: table },
    { offset: meta.range.offset, bytes: meta.bytes },
  ]);
  fill(to);
  closeSync(to);
  return file;
}

/** A RAID member's superblock (version 1.0, 8 KiB before the end) over the whole disk: Talos would take the disk for nothing else. */
function leftovers(to: number, bytes: number): void {
  const sector = Math.floor((bytes / 512 - 16) / 8) * 8;
  const superblock = Buffer.alloc(256);
  superblock.writeUInt32LE(0xa92b4efc, 0);
  superblock.writeUInt32LE(1, 4);
  superblock.writeBigUInt64LE(BigInt(sector), 144);
  write(to, [{ offset: sector * 512, bytes: superblock }]);
}

function write(to: number, writes: readonly DiskWrite[]): void {
  for (const { offset, bytes } of writes) writeSync(to, bytes, 0, bytes.length, offset);
}

function read(from: number, { offset, length }: DiskRange): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(from, bytes, 0, length, offset);
  return bytes;
}

function sha256(of: string): string {
  return createHash("sha256").update(of).digest("hex");
}

function uuid(of: string): string {
  const hex = sha256(of);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

function print(one: object): void {
  console.log(JSON.stringify(one));
}
