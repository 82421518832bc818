import type { RunningLab, Service } from "@talosmith/lab/kernel/kernel.ts";
import type { ProxmoxState } from "@talosmith/lab/proxmox/state.ts";
import type { Json } from "@talosmith/lib/json.ts";

/** A piece of simulated work, whose duration no client can shorten. */
export interface Work {
  what: string;
  from: number;
  to: number;
  /** The work whose end started it; absent when a call did. */
  after?: Work;
}

/** Records every transition and every sleep of a lab from outside, without support in the lab. */
export class LabWork {
  readonly all: Work[] = [];
  /** Called when the lab has done something by itself. */
  onChange: () => void = () => {};
  /** By scheduled transition: of the same kind and data, the first one happens first. */
  readonly #scheduled = new Map<string, Work[]>();
  #running: Work | undefined;

  /** Wraps a service to record when its transitions happen. */
  watched(service: Service): Service {
    const transitions = Object.entries(service.transitions ?? {}).map(([kind, handler]): [string, typeof handler] => [
      kind,
      (lab, data) => {
        const outer = this.#running;
        this.#running = this.#scheduled.get(keyOf(kind, data))?.shift();
        if (this.#running) this.#running.to = lab.now();
        try {
          handler(lab, data);
        } finally {
          this.#running = outer;
          this.onChange();
        }
      },
    ]);
    return { ...service, transitions: Object.fromEntries(transitions) };
  }

  watch(lab: RunningLab): void {
    const schedule = lab.schedule.bind(lab);
    const sleep = lab.sleep.bind(lab);
    lab.schedule = (kind, afterMs, data) => {
      const work = this.#begin(nameOf(lab, kind, data), lab.now());
      const key = keyOf(kind, data);
      this.#scheduled.set(key, [...(this.#scheduled.get(key) ?? []), work]);
      schedule(kind, afterMs, data);
    };
    lab.sleep = async (ms, signal) => {
      const work = this.#begin("an answer that takes its time, or a program", lab.now());
      await sleep(ms, signal);
      work.to = lab.now();
      this.onChange();
    };
  }

  #begin(what: string, from: number): Work {
    const work: Work = { what, from, to: Number.POSITIVE_INFINITY, ...(this.#running && { after: this.#running }) };
    this.all.push(work);
    return work;
  }
}

const keyOf = (kind: string, data: Json) => `${kind} ${JSON.stringify(data)}`;

function nameOf(lab: RunningLab, kind: string, data: Json): string {
  const { job, id } = (data ?? {}) as { job?: number; id?: string };
  if (job === undefined) return typeof id === "string" ? `${kind} ${id}` : kind;
  const task = lab
    .state<ProxmoxState>("proxmox")
    .jobs.find((one) => one.id === job)
    ?.upid?.split(":")[5];
  return `proxmox ${task ?? "call"}`;
}

export interface Stretch {
  what: string;
  ms: number;
}

/**
 * The critical path to a time, backwards: the work that ended last, the work that started it, and where a talosmith call started it, the work that
 * ended last before it. Time without any work is "nothing".
 */
export function pathTo(end: number, start: number, all: readonly Work[]): Stretch[] {
  const stretches: Stretch[] = [];
  const add = (what: string, ms: number) => {
    if (ms <= 0) return;
    const first = stretches[0];
    if (first?.what === what) first.ms += ms;
    else stretches.unshift({ what, ms });
  };
  let at = end;
  let work = lastBefore(at, start, all);
  while (work) {
    add("nothing", at - work.to);
    add(work.what, work.to - work.from);
    at = work.from;
    // Work without duration is skipped.
    work = work.after && work.after.to === at && work.after.from >= start ? work.after : lastBefore(at, start, all);
  }
  add("nothing", at - start);
  return stretches;
}

/** The longest of those that ended at the same time: the others were not on the critical path. */
function lastBefore(at: number, start: number, all: readonly Work[]): Work | undefined {
  const ended = all.filter((one) => one.from >= start && one.to <= at && one.to > one.from);
  return ended.sort((a, b) => b.to - a.to || a.from - b.from)[0];
}
