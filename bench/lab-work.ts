import type { Json } from "../src/lib/json.ts";
import type { RunningLab, Service } from "../src/lab/kernel/kernel.ts";

/** A piece of simulated work: it took from then to then, and nobody could have made it shorter. */
export interface Work {
  what: string;
  from: number;
  to: number;
  /** The work whose end began it; absent when a call did. */
  after?: Work;
}

/** Sees every transition and every sleep of a lab, from outside: the lab knows nothing of it. */
export class LabWork {
  readonly all: Work[] = [];
  /** Called when the lab has done something by itself. */
  onChange: () => void = () => {};
  /** By what is scheduled: the same kind, time and data is the same work. */
  readonly #scheduled = new Map<string, Work[]>();
  #running: Work | undefined;

  /** The service, telling when its transitions happen. */
  watched(service: Service): Service {
    const transitions = Object.entries(service.transitions ?? {}).map(([kind, handler]): [string, typeof handler] => [
      kind,
      (lab, data) => {
        const outer = this.#running;
        this.#running = this.#take(kind, data);
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
      const work = this.#begin(nameOf(kind, data), lab.now());
      const key = keyOf(kind, data);
      this.#scheduled.set(key, [...(this.#scheduled.get(key) ?? []), work]);
      schedule(kind, afterMs, data);
    };
    lab.sleep = async (ms, signal) => {
      const work = this.#begin(`an answer or a program that takes its time`, lab.now());
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

  #take(kind: string, data: Json): Work | undefined {
    return this.#scheduled.get(keyOf(kind, data))?.shift();
  }
}

const keyOf = (kind: string, data: Json) => `${kind} ${JSON.stringify(data)}`;

function nameOf(kind: string, data: Json): string {
  const { kind: detail, type, service } = (data ?? {}) as Record<string, unknown>;
  return [kind, ...[detail, type, service].filter((one) => typeof one === "string")].join(" ");
}
