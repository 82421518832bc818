import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Figure } from "./figure.ts";

/** The output of bench/generate-thousand.ts. */
export interface Generated {
  nodes: number;
  loadMs: number;
  generateMs: number;
  /** Part of it: the cluster's own keys, whose large primes take a random time, and whose number is the same for one node. */
  keysMs: number;
  /** A second run, with nothing to write. */
  againMs: number;
  peakMiB: number;
}

const UNIT_BYTES = 256 * 1024 ** 2;

/** A fixed amount of computing, so that machines of different speed can be compared. */
function unitMs(): number {
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now();
    const hash = createHash("sha256");
    const block = Buffer.alloc(1024 ** 2, 7);
    for (let done = 0; done < UNIT_BYTES; done += block.length) hash.update(block);
    hash.digest();
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** Generates configs for a thousand nodes into a real folder, in a separate process so that its memory can be measured. */
export function generateThousand(folder: string): Figure[] {
  const { status, stdout } = spawnSync(process.execPath, [join(folder, "generate-thousand.js")], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`generate ended with ${status}`);
  const made = JSON.parse(stdout) as Generated;
  const unit = unitMs();
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  const shown = (ms: number) => `${seconds(ms)}, ${(ms / unit).toFixed(1)} units`;
  const of = `${made.nodes} nodes`;
  return [
    { name: "a unit of computing", value: seconds(unit), limit: "SHA-256 of 256 MiB" },
    { name: `reading the config of ${of}`, value: shown(made.loadMs), limit: "" },
    { name: `generate for ${of}, keys apart`, value: shown(made.generateMs - made.keysMs), limit: "≤ 2 s" },
    { name: "the cluster's keys", value: shown(made.keysMs), limit: "luck with primes; once in a cluster's life" },
    { name: `generate for ${of} with nothing to do`, value: shown(made.againMs), limit: "" },
    { name: `peak memory at ${of}`, value: `${made.peakMiB.toFixed(0)} MiB`, limit: "≤ 200 MB" },
  ];
}
