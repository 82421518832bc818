import { asTalosmithError } from "@talosmith/lib/errors.ts";
import type { Session } from "../engine/context.ts";

/**
 * Repeats a look until the command is interrupted, which is its normal end. An error of the first look ends it; later ones are shown, since servers
 * restart now and then.
 */
export async function watched({ world, bus, signal }: Session, everyMs: number, look: () => Promise<unknown>): Promise<number> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      await look();
    } catch (error) {
      if (signal.aborted) return 0;
      const { kind, message, detail, hint } = asTalosmithError(error);
      if (isFirst || kind === "internal") throw error;
      bus.emit({ type: "notice", level: "warn", message: detail ? `${message}: ${detail}` : message, ...(hint && { hint }) });
    }
    // Of real time: the interval is for people, and a wire file may scale the clock.
    const due = world.clock.now() + everyMs;
    while (!signal.aborted && world.clock.now() < due) await world.clock.sleep(due - world.clock.now(), signal).catch(() => {});
    if (signal.aborted) return 0;
  }
}
