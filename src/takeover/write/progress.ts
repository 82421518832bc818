import type { Read } from "../../engine/step.ts";

export type Saying = Pick<Read, "world" | "say" | "signal">;

const EVERY_MS = 1000;
const MIB = 1024 * 1024;

/** Reports the progress, at most once a second. */
export function progress({ world, say }: Saying, doing: string, total: number | undefined): (bytes: number) => void {
  const begun = world.clock.monotonic();
  let said = begun;
  return (bytes) => {
    const now = world.clock.monotonic();
    if (now - said < EVERY_MS) return;
    said = now;
    const speed = `${(bytes / MIB / ((now - begun) / 1000)).toFixed(1)} MiB/s`;
    const percent = total ? `${Math.min(99, Math.floor((bytes / total) * 100))} %, ` : "";
    say(`${doing}: ${percent}${Math.floor(bytes / MIB)} MiB, ${speed}`);
  };
}
