import { createHash, createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { realKeys } from "@talosmith/lib/world/keys.ts";
import { realNet } from "@talosmith/lib/world/net.ts";
import { processState } from "@talosmith/lib/world/process-state.ts";
import { steadyClock } from "@talosmith/lib/world/steady-clock.ts";
import type { Clock, Files, KeyPair, ProcessIdentity, World } from "@talosmith/lib/world/world.ts";
import { VolatileFiles } from "./volatile-files.ts";

export interface TestWorldOptions {
  files?: Files;
  /** Instead of a steady one. */
  clock?: Clock;
  timeScale?: number;
  seed?: string;
  env?: Record<string, string>;
  self?: Partial<ProcessIdentity>;
  /** Living processes besides our own. */
  alive?: readonly number[];
}

let rsa: Promise<KeyPair> | undefined;

/** The key that all tests of a run share, see rsa-key.ts; a benchmark creates its own. */
async function rsaKey(): Promise<KeyPair> {
  if (process.env.RSA_KEY === undefined) return realKeys.rsa4096();
  const privateKey = createPrivateKey(readFileSync(process.env.RSA_KEY));
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Repeatable randomness: the same seed gives the same bytes in the same order. */
function seeded(seed: string): (count: number) => Uint8Array {
  let n = 0;
  return (count) => {
    const parts: Buffer[] = [];
    for (let size = 0; size < count; size += 32) parts.push(createHash("sha256").update(`${seed} ${n++}`).digest());
    return Buffer.concat(parts).subarray(0, count);
  };
}

/** A world for a test: files in memory, faster time, seeded randomness, real sockets. */
export function testWorld(options: TestWorldOptions = {}): World {
  const self: ProcessIdentity = {
    pid: 4711,
    startedAt: "1",
    bootId: "boot",
    pidNamespace: "pid:[4026531836]",
    machineId: "machine",
    host: "here",
    ...options.self,
  };
  const startOf = (pid: number) => (pid === self.pid ? self.startedAt : "");
  const exists = (pid: number) => pid === self.pid || (options.alive ?? []).includes(pid);
  return {
    clock: options.clock ?? steadyClock(options.timeScale ?? 100),
    random: { bytes: seeded(options.seed ?? "seed") },
    keys: {
      ...realKeys,
      rsa4096() {
        rsa ??= rsaKey();
        return rsa;
      },
    },
    files: options.files ?? new VolatileFiles(),
    net: realNet,
    processes: {
      self: () => self,
      state: (of) => processState(of, self, { exists, startOf }),
      spawnSelf: () => {
        throw new Error("a test starts no processes this way");
      },
      end: () => {},
    },
    env: (name) => options.env?.[name],
  };
}
