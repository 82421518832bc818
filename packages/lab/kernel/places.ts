import type { Listener } from "@talosmith/lib/world/world.ts";
import type { Outage } from "./kernel.ts";

/** An address on which a service listens for its whole life, except during an outage. */
export interface FixedDoor {
  service: string;
  host: string;
  /** undefined: no outage. Connected clients are cut off whenever it changes. */
  turn(how: Outage["how"] | undefined): void;
  close(): Promise<void>;
}

/**
 * Listens at a fixed address. Nothing listens while it is "refused", so that the system refuses clients. Closing frees an address at once, and
 * opening takes it before another program can; `close` waits for the rest of either.
 */
export async function openFixedDoor(
  at: { service: string; host: string },
  open: (silent: boolean) => Promise<Listener>,
  failed: (error: unknown) => void,
): Promise<FixedDoor> {
  let listener: Listener | undefined = await open(false);
  let is: Outage["how"] | undefined;
  let work = Promise.resolve();
  const closing: Promise<void>[] = [];
  const change = async (to: Outage["how"] | undefined) => {
    if (listener) closing.push(listener.close());
    listener = undefined;
    if (to !== "refused") listener = await open(to === "silent");
  };
  return {
    ...at,
    turn(how) {
      if (how === is) return;
      is = how;
      work = work.then(() => change(how)).catch(failed);
    },
    async close() {
      await work;
      await listener?.close();
      await Promise.all(closing);
    },
  };
}
