import { userError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { paths } from "./folder.ts";
import { timeOfStamp } from "./stamps.ts";

/** The plausible range of dates: after the first talosmith, and before certificates would last into the next century. */
const EARLIEST = Date.UTC(2025, 0, 1);
const LATEST = Date.UTC(2090, 0, 1);
const TOLERATED_MS = 3_600_000;

const LOOK = "set it (timedatectl; date -u), then run the same command again";

/** Refuses an implausible clock: certificates are dated by it, and a cluster created with a clock that was never set would not work. */
export function requireClock({ clock }: World): void {
  const now = clock.now();
  if (now >= EARLIEST && now < LATEST) return;
  throw userError("CLOCK_UNSET", {
    message: `The clock of this computer says ${new Date(now).toISOString().slice(0, 10)}, which cannot be right`,
    detail: "Nodes would refuse certificates dated by a wrong clock.",
    hint: `${LOOK}. Nothing was changed.`,
  });
}

/** The warning when the last run was later than now. */
export function clockNotice({ clock, files }: World, folder: string): { message: string; hint: string } | undefined {
  const times = (files.list(paths.runs(folder)) ?? []).flatMap((run) => timeOfStamp(run) ?? []);
  // Minus infinity before the first run.
  const then = Math.max(...times);
  if (then - clock.now() <= TOLERATED_MS) return undefined;
  const shown = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  return {
    message: `the clock of this computer says ${shown(clock.now())}, but the last run was at ${shown(then)}: it was wrong then or is wrong now`,
    hint: `certificates get their dates from it: if it is wrong now, ${LOOK}`,
  };
}
