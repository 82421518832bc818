import { realClock } from "@talosmith/lib/world/clock.ts";
import type { Clock, World } from "@talosmith/lib/world/world.ts";
import { VirtualTime } from "./virtual-time.ts";

/** How time passes for a lab and for those who work on it. */
export interface Pace {
  labClock: Clock;
  /** With this signal our waits are told from our limits. */
  ourClock(waiting: AbortSignal): Clock;
  /** A world whose hidden work is seen. */
  lived(world: World): World;
  changed(): void;
  end(): void;
}

/** As a person lives it, `scale` times faster. Calls and computing do not get faster with it. */
export function lifelike(scale: number): Pace {
  return {
    labClock: realClock(scale),
    ourClock: () => realClock(scale),
    lived: (world) => world,
    changed: () => {},
    end: () => {},
  };
}

/** Calls and computing take no time. `rings`: nor does it take any to notice that something has changed. */
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
