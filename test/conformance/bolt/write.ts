import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { boltDatabase } from "@talosmith/lab/talos/etcd/bolt.ts";

/* Databases as the lab writes them, each with the SHA-256 behind it as in a snapshot of etcd; prints what must be in them. */

const [folder = "."] = process.argv.slice(2);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function keys(count: number, size: number): [Buffer, Buffer][] {
  return Array.from({ length: count }, (_, n) => {
    const key = Buffer.alloc(17);
    key.writeUInt32BE(n, 4);
    return [key, Buffer.alloc(size, n % 256)];
  });
}

const CASES: Record<string, Record<string, [Buffer, Buffer][]>> = {
  empty: { meta: [] },
  small: { key: keys(3, 10), meta: [[Buffer.from("term"), Buffer.alloc(8, 1)]], members: [] },
  "of several pages": { key: keys(200, 300), meta: keys(1, 1) },
  "with branches of branches": { key: keys(3000, 1500) },
  "with values larger than a page": { key: [...keys(5, 9000)], lease: keys(1, 100_000) },
};

for (const [name, buckets] of Object.entries(CASES)) {
  const file = join(folder, `${name.replaceAll(" ", "-")}.db`);
  const database = boltDatabase(buckets);
  writeFileSync(file, Buffer.concat([database, createHash("sha256").update(database).digest()]));
  const content = Object.entries(buckets).map(([bucket, entries]) => [
    bucket,
    Object.fromEntries(entries.map(([key, value]) => [hex(key), hex(value)])),
  ]);
  console.log(JSON.stringify({ name, file, content: Object.fromEntries(content) }));
}
