import type { Listener } from "@talosmith/lib/world/world.ts";
import type { Door } from "./kernel.ts";

/** A door and who keeps it. */
export interface KeptDoor extends Door {
  service: string;
  /** There is an outage: who comes hears nothing. */
  isSilent?: boolean;
}

export interface Doors {
  /** Opens and closes until just these are open; what was wanted before is no longer. */
  want(doors: readonly KeptDoor[]): void;
  close(): Promise<void>;
}

/** Keeps the open doors in step with those that are wanted. One thing at a time, so that an address is free before it is taken again. */
export function keepDoors(open: (door: KeptDoor) => Promise<Listener>, failed: (error: unknown) => void): Doors {
  const opened = new Map<string, { key: string; listener: Listener }>();
  const keyOf = (door: KeptDoor | undefined) => door && `${door.key}${door.isSilent ? " silent" : ""}`;
  let wanted = new Map<string, KeptDoor>();
  let told = "";
  let busy = false;
  let working = Promise.resolve();

  /** What to do next. Found out without waiting: whoever wants something else after the last step must see that nobody is at work. */
  const next = (): (() => Promise<void>) | undefined => {
    for (const [at, { key, listener }] of opened) {
      if (keyOf(wanted.get(at)) === key) continue;
      opened.delete(at);
      return () => listener.close();
    }
    for (const [at, door] of wanted) {
      if (opened.has(at)) continue;
      return async () => void opened.set(at, { key: keyOf(door) ?? "", listener: await open(door) });
    }
    return undefined;
  };
  const work = async () => {
    busy = true;
    try {
      for (let step = next(); step; step = next()) await step();
    } catch (error) {
      failed(error);
    } finally {
      busy = false;
    }
  };
  return {
    want(doors) {
      const said = doors.map((door) => `${door.host}:${door.port} ${keyOf(door)}`).join("\n");
      if (said === told) return;
      told = said;
      wanted = new Map(doors.map((door) => [`${door.host}:${door.port}`, door]));
      if (!busy) working = work();
    },
    async close() {
      wanted = new Map();
      await working;
      await work();
    },
  };
}
