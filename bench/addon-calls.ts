import { ALL_STAGES } from "../src/workflows/stages.ts";
import { addonWishes, bootstrappedIn, openAddons } from "../test/lifecycle/addons-scene.ts";
import type { Figure } from "./figure.ts";

/** Calls of an empty plan with addons: a cluster with Cilium alone, and one with two presets, a chart, a manifest and a Secret in addition. */
export async function addonCalls(): Promise<Figure[]> {
  const scene = await openAddons("bench");
  try {
    const files = await bootstrappedIn(scene);
    const wishes = addonWishes(scene);
    const { addons: _, ...alone } = wishes;
    const calls: number[] = [];
    for (const wish of [alone, wishes]) {
      scene.configure(files, wish);
      const up = await scene.up(files, { stages: ALL_STAGES });
      const { plan, exitCode } = await scene.plan(files, undefined, ALL_STAGES);
      if (up.exitCode !== 0 || exitCode !== 0 || !plan) throw new Error(`up ${up.exitCode}, plan ${exitCode}`);
      calls.push(plan.calls);
    }
    const [few = 0, many = 0] = calls;
    return [
      { name: "calls per empty plan, 2 nodes and Cilium", value: String(few), limit: "" },
      { name: "the same with 5 addons more", value: String(many), limit: "2 more per object, 1 per release" },
    ];
  } finally {
    await scene.close();
  }
}
