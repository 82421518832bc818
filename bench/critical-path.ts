import type { ProxmoxState } from "../src/lab/proxmox/state.ts";
import { Scene } from "../test/lifecycle/scene.ts";
import type { Figure } from "./plan-calls.ts";

const BUILD_MS = 30_000;

interface Span {
  type: string;
  id: string;
  from: number;
  to: number;
}

/** Sees when each task begins and ends, in the lab's time. The tasks themselves only know whole seconds. */
function watchTasks(scene: Scene): { spans: Map<string, Span>; stop(): void } {
  const spans = new Map<string, Span>();
  const timer = setInterval(() => {
    for (const { upid, type, id, endtime } of scene.lab.state<ProxmoxState>("proxmox").tasks) {
      const span = spans.get(upid) ?? { type, id, from: scene.lab.now(), to: 0 };
      if (span.to === 0 && endtime !== undefined) span.to = scene.lab.now();
      spans.set(upid, span);
    }
  }, 1);
  return { spans, stop: () => clearInterval(timer) };
}

/** What `up` takes over what the simulated work alone must take: build, download, and the slowest machine's tasks one after the other. */
export async function criticalPath(): Promise<Figure> {
  // Slow enough that a call of ours is short against the work it waits for.
  const scene = await Scene.open("bench", { timeScale: 10, buildMs: BUILD_MS });
  const { spans, stop } = watchTasks(scene);
  try {
    const files = scene.folder();
    const started = scene.lab.now();
    const { exitCode } = await scene.up(files);
    if (exitCode !== 0) throw new Error("up failed");
    const took = scene.lab.now() - started;
    const tasks = [...spans.values()].map((span) => ({ ...span, ms: span.to - span.from }));
    const download = Math.max(...tasks.filter((task) => task.type === "download").map((task) => task.ms));
    const machines = new Map<string, number>();
    for (const task of tasks.filter((one) => one.type !== "download"))
      machines.set(task.id, (machines.get(task.id) ?? 0) + task.ms);
    const path = BUILD_MS + download + Math.max(...machines.values());
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    return {
      name: "up on the lab over the critical path of its work",
      value: `${(took / path).toFixed(2)}× (${seconds(took)} over ${seconds(path)} of the lab's time)`,
      limit: "≤ 1.15×",
    };
  } finally {
    stop();
    await scene.close();
  }
}
