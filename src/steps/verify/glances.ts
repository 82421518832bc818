import type { Clock } from "@talosmith/lib/world/world.ts";

/** Checks start together, so a recent result of one can serve another's first look. */
const FRESH_MS = 5_000;

interface Glance {
  answer: Promise<unknown>;
  /** Undefined while the call is running. */
  seenAt?: number;
}

/** Shares calls between concurrent checks. A check that repeats gets a newer result: it may join a call that started after its own last one. */
export class Glances {
  readonly #glances = new Map<string, Glance>();

  see<T>(key: string, { isFirst, clock }: { isFirst: boolean; clock: Clock }, load: () => Promise<T>): Promise<T> {
    const known = this.#glances.get(key);
    const isNew = known?.seenAt === undefined || (isFirst && clock.monotonic() - known.seenAt <= FRESH_MS);
    if (known && isNew) return known.answer as Promise<T>;
    const answer = load();
    const glance: Glance = { answer };
    this.#glances.set(key, glance);
    const seen = () => {
      glance.seenAt = clock.monotonic();
    };
    answer.then(seen, seen);
    return answer;
  }
}
