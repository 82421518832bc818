import { remoteError } from "@talosmith/lib/errors.ts";
import type { Condition, Read } from "./step.ts";

const SHORTEST = 50;
const LONGEST = 5_000;
/** Polling after a fifth of the time already waited detects the end a tenth too late on average, with few calls. */
const SHARE_OF_ELAPSED = 0.2;
/** Near the usual end, polls are this share of the usual time apart. */
const SHARE_OF_USUAL = 0.05;

/** After it, an unchanged reason is reported again, and then each time the wait has become twice as long, so that users see that the wait goes on. */
const TELL_AGAIN = 5_000;

/** Waits for a condition, and reports why it is not true yet: each time the reason changes, and now and then while it does not. */
export async function waitUntil(condition: Condition, c: Read, tell: (reason: string, elapsedMs: number) => void): Promise<void> {
  const started = c.world.clock.monotonic();
  let reported = "";
  let tellAt = TELL_AGAIN;
  for (;;) {
    c.signal.throwIfAborted();
    const answer = await condition.poll(c);
    if (answer === true) return;
    const elapsed = c.world.clock.monotonic() - started;
    if (answer.reason !== reported || elapsed >= tellAt) tell(answer.reason, elapsed);
    if (elapsed >= tellAt) tellAt = elapsed * 2;
    reported = answer.reason;
    if (elapsed >= condition.timeoutMs) {
      throw remoteError("TIMEOUT", {
        message: `Unable to confirm within ${Math.round(condition.timeoutMs / 1000)} s that ${condition.name}`,
        detail: `last seen: ${answer.reason}`,
        hint: "run the same command again: it continues from the current state",
      });
    }
    const pause = Math.min(Math.max(pauseAt(elapsed, condition.usualMs), SHORTEST), LONGEST);
    await c.world.clock.sleep(Math.min(pause, condition.timeoutMs - elapsed), c.signal);
  }
}

/** With a usual duration, each pause is half of the time that is left until then: few polls, and a much earlier end is still noticed. */
function pauseAt(elapsed: number, usualMs: number | undefined): number {
  const share = elapsed * SHARE_OF_ELAPSED;
  if (usualMs === undefined) return share;
  const near = usualMs * SHARE_OF_USUAL;
  return elapsed < usualMs ? Math.max((usualMs - elapsed) / 2, near) : Math.min(Math.max((elapsed - usualMs) / 2, near), share);
}
