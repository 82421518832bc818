import type { Listener } from "@talosmith/lib/world/world.ts";
import type { Door } from "./kernel.ts";

/** A door and its service. */
export interface KeptDoor extends Door {
  service: string;
  /** There is an outage: connections are accepted and get no data. */
  isSilent?: boolean;
}

export interface Doors {
  /** Opens and closes doors until exactly these are open; replaces the previous request. */
  want(doors: readonly KeptDoor[]): void;
  close(): Promise<void>;
}

/** Keeps the open doors in step with the requested ones. One operation at a time, so that an address is free before it is used again. */
export function keepDoors(open: (door: KeptDoor) => Promise<Listener>, failed: (error: unknown) => void): Doors {
  const opened = new Map<string, { key: string; listener: Listener }>();
  const keyOf = (door: KeptDoor | undefined) => door && `${door.key}${door.isSilent ? " silent" : ""}`;
  let wanted = new Map<string, KeptDoor>();
  let told = "";
  let busy = false;
  let working = Promise.resolve();

  /** The next operation. Determined synchronously: a new request after the last operation must see that no work is running. */
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
