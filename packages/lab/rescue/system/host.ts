import { setMaxListeners } from "node:events";
import type { Lab } from "../../kernel/kernel.ts";
import { Killed, type Pipe } from "../../shell/streams.ts";
import { type Linux, type Server, serverNamed } from "../state.ts";

/** A server whose Linux runs, at one instant. */
export interface View {
  lab: Lab;
  server: Server;
  linux: Linux;
}

/** A Linux that runs, as its processes have it. */
export interface Host {
  readonly lab: Lab;
  readonly name: string;
  /** Aborted when this boot is over. */
  readonly alive: AbortSignal;
  /** Named pipes that have been opened, by path. */
  readonly fifos: Map<string, Pipe>;
  /** Reads or changes it. Throws `Killed` when it runs no more. */
  look<T>(work: (view: View) => T): T;
  /** So many bytes have gone to a disk. */
  wrote(bytes: number): void;
}

/** What goes with a boot and is in no snapshot, as processes are not. */
interface Running {
  boot: number;
  over: AbortController;
  fifos: Map<string, Pipe>;
}

const running = new WeakMap<Lab, Map<string, Running>>();

export function hostOf(lab: Lab, name: string): Host {
  const boot = lab.turn(() => serverNamed(lab, name)?.boot ?? 0);
  const { over, fifos } = runningAt(lab, name, boot);
  return {
    lab,
    name,
    alive: over.signal,
    fifos,
    look: (work) =>
      lab.turn(() => {
        const server = serverNamed(lab, name);
        if (!server?.linux || server.boot !== boot || over.signal.aborted) throw new Killed();
        return work({ lab, server, linux: server.linux });
      }),
    wrote: () => {},
  };
}

function runningAt(lab: Lab, name: string, boot: number): Running {
  const ofLab = running.get(lab) ?? new Map<string, Running>();
  running.set(lab, ofLab);
  const before = ofLab.get(name);
  if (before?.boot === boot && !before.over.signal.aborted) return before;
  before?.over.abort();
  const now: Running = { boot, over: new AbortController(), fifos: new Map() };
  // Every process of it listens for its end.
  setMaxListeners(0, now.over.signal);
  lab.closing.addEventListener("abort", () => now.over.abort(), { once: true });
  ofLab.set(name, now);
  return now;
}

/** The power is gone: so is everything that ran. */
export function endProcesses(lab: Lab, name: string): void {
  running.get(lab)?.get(name)?.over.abort();
}
