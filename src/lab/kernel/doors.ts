import type { Listener } from "../../lib/world/world.ts";
import type { Door } from "./kernel.ts";

/** A door and who keeps it. */
export interface KeptDoor extends Door {
  service: string;
}

export interface Doors {
  /** Opens and closes until just these are open; what was wanted before is no longer. */
  want(doors: readonly KeptDoor[]): void;
  close(): Promise<void>;
}

/** Keeps the open doors in step with those that are wanted. One thing at a time, so that an address is free before it is taken again. */
export function keepDoors(open: (door: KeptDoor) => Promise<Listener>, failed: (error: unknown) => void): Doors {
  const opened = new Map<string, { key: string; listener: Listener }>();
  let wanted = new Map<string, KeptDoor>();
  let told = "";
  let working: Promise<void> | undefined;

  const step = async (): Promise<boolean> => {
    for (const [at, { key, listener }] of opened) {
      if (wanted.get(at)?.key === key) continue;
      opened.delete(at);
      await listener.close();
      return true;
    }
    for (const [at, door] of wanted) {
      if (opened.has(at)) continue;
      opened.set(at, { key: door.key, listener: await open(door) });
      return true;
    }
    return false;
  };
  const work = async () => {
    try {
      while (await step());
    } catch (error) {
      failed(error);
    } finally {
      working = undefined;
    }
  };
  return {
    want(doors) {
      const said = doors.map(({ host, port, key }) => `${host}:${port} ${key}`).join("\n");
      if (said === told) return;
      told = said;
      wanted = new Map(doors.map((door) => [`${door.host}:${door.port}`, door]));
      working ??= work();
    },
    async close() {
      wanted = new Map();
      await working;
      await work();
    },
  };
}
