import { internalError, remoteError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { askToStop } from "./client.ts";
import { type LabHandle, labFileNames, removeLabFile } from "./lab-file.ts";

const PATIENCE_MS = 10_000;
const LOOK_MS = 20;
/** Between the removal of a lab's file and the end of its process. */
const FAREWELL_MS = 1000;

/** Asks the lab to stop, waits, then kills its process. Afterwards the lab and its file are gone. */
export async function stopLab(world: World, lab: LabHandle, patienceMs = PATIENCE_MS): Promise<"stopped" | "killed"> {
  try {
    await askToStop(world, lab, patienceMs);
  } catch {
    // The lab does not answer: the wait below decides.
  }
  const inHere = world.processes.self().pid === lab.process.pid;
  if (await gone(world, lab, patienceMs)) {
    if (!inHere) await until(world, () => world.processes.state(lab.process) !== "alive", FAREWELL_MS);
    return "stopped";
  }
  if (inHere) {
    throw internalError("LAB_STOP", { message: "Unable to stop the lab in this process: it does not end" });
  }
  world.processes.end(lab.process, "kill");
  if (!(await gone(world, lab, patienceMs))) {
    throw remoteError("LAB_STOP", {
      message: `Unable to stop the lab's process ${lab.process.pid}`,
      hint: `check what blocks it: ps -o stat,wchan ${lab.process.pid}`,
    });
  }
  return "killed";
}

/** Waits for the end of the lab. A lab that ends normally removes its file last; the file of a lab that died is removed here. */
async function gone(world: World, lab: LabHandle, patienceMs: number): Promise<boolean> {
  const over = () => world.processes.state(lab.process) !== "alive" || !labFileNames(world, lab);
  if (!(await until(world, over, patienceMs))) return false;
  removeLabFile(world, lab);
  return true;
}

async function until(world: World, holds: () => boolean, patienceMs: number): Promise<boolean> {
  const deadline = world.clock.monotonic() + patienceMs;
  while (!holds()) {
    if (world.clock.monotonic() > deadline) return false;
    await world.clock.sleep(LOOK_MS);
  }
  return true;
}
