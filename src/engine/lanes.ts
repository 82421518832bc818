import { Gate } from "@talosmith/lib/gate.ts";
import type { Lane } from "./step.ts";

/** Queues by name that limit concurrent work. */
export class Lanes {
  readonly #gates = new Map<string, Gate>();

  /** Takes every lane, in the order of their names so that two takers can never wait for each other. */
  async enter(lanes: readonly Lane[], signal: AbortSignal, queued: (lane: string) => void): Promise<() => void> {
    const ways: (() => void)[] = [];
    const leave = () => {
      for (const way of ways) way();
    };
    try {
      for (const lane of [...lanes].sort((a, b) => (a.key < b.key ? -1 : 1))) {
        const gate = this.#gates.get(lane.key) ?? new Gate(lane.limit);
        this.#gates.set(lane.key, gate);
        if (gate.full) queued(lane.key);
        ways.push(await gate.enter(signal));
      }
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
