import type { Recorded, Recorder } from "./kernel.ts";

/** A lab that runs for days must not fill the memory with recorded calls. */
const KEPT = 100_000;

export function createRecorder(now: () => number, kept = KEPT): Recorder {
  let last = 0;
  let calls: Recorded[] = [];
  return {
    calls: () => calls,
    begin(call) {
      const recorded: Recorded = {
        n: ++last,
        at: now(),
        service: call.service,
        site: call.site,
        resource: call.resource,
        mutating: call.mutating,
        ...(call.command !== undefined && { command: call.command }),
        ...(call.inside && { inside: true }),
      };
      calls.push(recorded);
      // Cut rarely, but by half: removing the head of an array moves the rest.
      if (calls.length > kept) calls = calls.slice(-Math.ceil(kept / 2));
      return recorded;
    },
    clear() {
      calls = [];
    },
  };
}
