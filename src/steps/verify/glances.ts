import type { Clock } from "@talosmith/lib/world/world.ts";

/** Checks begin together: what one of them has just seen will do for another one's first look. */
const FRESH_MS = 5_000;

interface Glance {
  answer: Promise<unknown>;
  /** undefined while it is on its way. */
  seenAt?: number;
}

/**
 * What several checks look at, asked once for all that want it at the same time. Whoever was not content with what it saw gets something newer:
 * it may join a look that is under way, since that began after its own had ended.
 */
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
