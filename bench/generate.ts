import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { atMost, type Figure, megabytes, seconds } from "./figure.ts";

/** How long something took, and the processor time of it: the rest is the disk's. */
export interface Took {
  ms: number;
  cpuMs: number;
}

/** The output of bench/generate-thousand.ts. */
export interface Generated {
  nodes: number;
  load: Took;
  /** Everything, the cluster's keys included. */
  first: Took;
  /** Part of it: the cluster's own keys, whose large primes take a random time, and whose number is the same for one node. */
  keysMs: number;
  /** With existing secrets: the files of roles and the patches of nodes are written again. */
  secretsThere: Took;
  /** With nothing to write. */
  nothing: Took;
  /** With existing secrets: the whole config of each node, written as talhelper writes it, without syncing. */
  full: Took;
  peakMiB: number;
}

const UNIT_BYTES = 256 * 1024 ** 2;

/** A fixed amount of computing, so that machines of different speed can be compared. */
function unitMs(): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    const hash = createHash("sha256");
    const block = Buffer.alloc(1024 ** 2, 7);
    for (let done = 0; done < UNIT_BYTES; done += block.length) hash.update(block);
    hash.digest();
    return process.cpuUsage(before).user / 1000;
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
  const units = (value: number) => `${value.toFixed(1)} units`;
  const cpuUnits = ({ cpuMs }: Took) => cpuMs / unit;
  const shown = (took: Took) => `${seconds(took.ms / 1000)}, processor ${units(cpuUnits(took))}`;
  const of = `${made.nodes} nodes`;
  return [
    { name: "a unit of computing", value: seconds(unit / 1000), limit: "SHA-256 of 256 MiB, processor time" },
    { name: `reading the config of ${of}`, value: shown(made.load), limit: "" },
    { name: `generate for ${of}, the cluster's keys included`, value: shown(made.first), limit: "" },
    {
      name: "  of it, the cluster's keys",
      value: seconds(made.keysMs / 1000),
      limit: "luck with primes; once in a cluster's life",
    },
    { name: `generate for ${of}, existing secrets`, value: shown(made.secretsThere), limit: "each file is synced" },
    atMost("  of it, processor time", cpuUnits(made.secretsThere), 5, units),
    { name: `whole configs of ${of}, existing secrets`, value: shown(made.full), limit: "" },
    atMost("  of it, processor time", cpuUnits(made.full), 3, units),
    atMost("  goal in seconds, 5× faster than talhelper", made.full.ms / 1000, 0.58, seconds),
    { name: `generate for ${of} with nothing to do`, value: shown(made.nothing), limit: "" },
    atMost("peak memory of all this", made.peakMiB * 1.048576, 200, megabytes),
  ];
}
