import { randomBytes } from "node:crypto";
import { realClock } from "./clock.ts";
import { realFiles } from "./files.ts";
import { realKeys } from "./keys.ts";
import { realNet } from "./net.ts";
import { realProcesses } from "./processes.ts";
import type { World } from "./world.ts";

/** The world as it is; `timeScale` above 1 lets time run faster, for rehearsals and benchmarks. */
export function realWorld(options: { timeScale?: number } = {}): World {
  return {
    clock: realClock(options.timeScale),
    random: { bytes: (count) => randomBytes(count) },
    keys: realKeys,
    files: realFiles,
    net: realNet,
    processes: realProcesses,
    env: (name) => process.env[name],
  };
}
