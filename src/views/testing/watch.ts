import type { Event } from "../../engine/event.ts";
import { terminalView } from "../terminal-view.ts";
import { ManualClock } from "./manual-clock.ts";
import { Screen } from "./screen.ts";
import { change, event, finished, planned, started, upStarted } from "./script.ts";

/** The terminal view on a screen in memory. */
export function watch(width = 100, height = 30) {
  const screen = new Screen(width, height);
  const clock = new ManualClock();
  const view = terminalView(screen, clock);
  return {
    screen,
    clock,
    view,
    tell: (...events: Event[]) => {
      for (const one of events) view.event(one);
    },
    /** The screen after a time, with one sign for all turns of the spinner. */
    async after(ms: number): Promise<string[]> {
      await clock.advance(ms);
      return screen.lines().map((row) => row.replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u, "⠹"));
    },
  };
}

/** The steps of a small cluster's `up`. */
const checks = Array.from({ length: 14 }, (_, n) => planned("preflight", `check ${n}`, "check"));
const image = planned("image", "image talos-v1.13.9-37656798");
const machines = ["cp-1", "worker-1", "worker-2", "worker-3"].map((name) => planned("provision", `machine ${name}`));
export const cp1 = "provision/machine cp-1";
export const worker1 = "provision/machine worker-1";
export const worker2 = "provision/machine worker-2";
export const worker3 = "provision/machine worker-3";
export const cluster = planned("bootstrap", "cluster homelab");
export const cilium = planned("addons", "cilium 1.20.1");
export const verify = planned("verify", "all nodes Ready", "check");
export const steps = event({ type: "steps", steps: [...checks, image, ...machines, cluster, cilium, verify] });
export const created = (subject: string) => ({ changes: [change("create", subject)] });

/** Everything before provision, in 0.9 s. */
export async function untilProvision(run: ReturnType<typeof watch>): Promise<void> {
  run.tell(upStarted, steps, ...checks.map(({ id }) => started(id)));
  await run.clock.advance(800);
  run.tell(...checks.map(({ id }) => finished(id, "unchanged", 800)), started(image.id));
  await run.clock.advance(100);
  run.tell(finished(image.id, "unchanged", 100));
}
