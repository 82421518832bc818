import type { Scene } from "../test/lifecycle/scene.ts";
import type { Figure } from "./figure.ts";

const SIZES = [3, 30, 100];

/** Counts the calls of a plan without changes: each machine must add exactly one call. */
export async function planCalls(scene: Scene, fresh: string): Promise<Figure[]> {
  const figures: { size: number; calls: number }[] = [];
  for (const size of SIZES) {
    scene.lab.restore(fresh);
    const files = scene.folder({ workers: size - 1 });
    const up = await scene.up(files);
    const { plan, exitCode } = await scene.plan(files);
    if (up.exitCode !== 0 || exitCode !== 0 || !plan) throw new Error(`${size} machines: up ${up.exitCode}, plan ${exitCode}`);
    figures.push({ size, calls: plan.calls });
  }
  const [first = { size: 0, calls: 0 }] = figures;
  const fixed = first.calls - first.size;
  return figures.map(({ size, calls }) => ({
    name: `calls per empty plan, ${size} machines on 3 hosts`,
    value: String(calls),
    limit: `${fixed} + 1 per machine = ${fixed + size}`,
  }));
}
