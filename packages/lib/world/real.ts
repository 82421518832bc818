import { randomBytes } from "node:crypto";
import { realClock } from "./clock.ts";
import { realFiles } from "./files.ts";
import { realKeys } from "./keys.ts";
import { realNet } from "./net.ts";
import { realProcesses } from "./processes.ts";
import { steadyClock } from "./steady-clock.ts";
import type { World } from "./world.ts";

/** The real world; with `timeScale` on a steady clock that runs that many times faster, for rehearsals, benchmarks and labs in tests. */
export function realWorld({ timeScale }: { timeScale?: number } = {}): World {
  return {
    clock: timeScale === undefined ? realClock() : steadyClock(timeScale),
    random: { bytes: (count) => randomBytes(count) },
    keys: realKeys,
    files: realFiles,
    net: realNet,
    processes: realProcesses,
    // Own properties only: there is no variable called toString.
    env: (name) => (Object.hasOwn(process.env, name) ? process.env[name] : undefined),
  };
}
