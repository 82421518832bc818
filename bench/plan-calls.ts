import type { Scene } from "../test/lifecycle/scene.ts";
import { atMost, type Figure } from "./figure.ts";

const SIZES = [3, 30, 60];
/** Calls that do not depend on the number of machines; each machine adds one. */
const FIXED = 17;

/** Counts the calls of a plan without changes: each machine must add exactly one call. */
export async function planCalls(scene: Scene, fresh: string): Promise<Figure[]> {
  const figures: { size: number; calls: number }[] = [];
  for (const size of SIZES) {
    scene.lab.restore(fresh);
    const files = scene.folder({ workers: size - 1, memory: "2GiB" });
    const up = await scene.up(files);
    const { plan, exitCode } = await scene.plan(files);
    if (up.exitCode !== 0 || exitCode !== 0 || !plan) throw new Error(`${size} machines: up ${up.exitCode}, plan ${exitCode}`);
    figures.push({ size, calls: plan.calls });
  }
  return figures.map(({ size, calls }) => atMost(`calls per empty plan, ${size} machines on 3 hosts`, calls, FIXED + size));
}
