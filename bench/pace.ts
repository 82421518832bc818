import { realClock } from "@talosmith/lib/world/clock.ts";
import type { Clock, World } from "@talosmith/lib/world/world.ts";
import { VirtualTime } from "./virtual-time.ts";

/** How time passes for a lab and for talosmith. */
export interface Pace {
  labClock: Clock;
  /** A sleep with this signal is a wait of talosmith, and not a time limit. */
  ourClock(waiting: AbortSignal): Clock;
  /** A world whose work in other threads is tracked. */
  lived(world: World): World;
  changed(): void;
  end(): void;
}

/** Real time, `scale` times faster. Calls and computing do not get faster. */
export function lifelike(scale: number): Pace {
  return {
    labClock: realClock(scale),
    ourClock: () => realClock(scale),
    lived: (world) => world,
    changed: () => {},
    end: () => {},
  };
}

/** Virtual time: calls and computing take none. With `rings`, a change is noticed at once. */
export function virtual({ rings }: { rings: boolean }): Pace {
  const time = new VirtualTime({ rings });
  void time.pass();
  return {
    labClock: time.clock(),
    ourClock: (waiting) => time.clock((signal) => signal === waiting),
    lived: (world) => ({
      ...world,
      keys: {
        ed25519: () => time.during(world.keys.ed25519()),
        p256: () => time.during(world.keys.p256()),
        rsa4096: () => time.during(world.keys.rsa4096()),
      },
    }),
    changed: () => time.changed(),
    end: () => time.end(),
  };
}
