import { join } from "node:path";
import { remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { labStatus } from "./client.ts";
import { type LabHandle, readLab } from "./lab-file.ts";

export interface StartOptions {
  folder: string;
  /** Arguments of `lab serve` besides --folder. */
  args: readonly string[];
  timeoutMs?: number;
}

const LOOK_MS = 50;
const TAIL_LINES = 20;

/** Starts a lab in its own process; a running lab of the folder is reused. */
export async function startLab(world: World, { folder, args, timeoutMs = 30_000 }: StartOptions): Promise<LabHandle> {
  const running = readLab(world, folder);
  if (running) return running;
  world.files.makeFolder(folder, 0o700);
  const log = join(folder, "lab.log");
  const logged = world.files.stat(log)?.size ?? 0;
  const child = world.processes.spawnSelf(["lab", "serve", "--folder", folder, ...args], log);
  const failed = (detail: string) => startFailed(detail, log, tail(world, log, logged));
  const deadline = world.clock.monotonic() + timeoutMs;
  for (;;) {
    const alive = world.processes.state(child) === "alive";
    const lab = readLab(world, folder);
    if (lab && (await answers(world, lab))) return lab;
    if (!alive) throw failed("its process ended");
    if (world.clock.monotonic() > deadline) {
      world.processes.end(child, "kill");
      throw failed(`no answer in ${timeoutMs / 1000} s`);
    }
    await world.clock.sleep(LOOK_MS);
  }
}

async function answers(world: World, lab: LabHandle): Promise<boolean> {
  try {
    await labStatus(world, lab);
    return true;
  } catch {
    return false;
  }
}

/** The output of this start in the log; only the end of a long one. */
function tail(world: World, log: string, from: number): string {
  const bytes = world.files.read(log) ?? new Uint8Array();
  return Buffer.from(bytes.subarray(from)).toString("utf8").trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}

function startFailed(why: string, log: string, said: string): TalosmithError {
  return remoteError("LAB_START", {
    message: `Unable to start the lab: ${why}`,
    detail: said === "" ? "the lab printed nothing" : said,
    hint: `the whole log is in ${log}`,
  });
}
