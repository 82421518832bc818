import type { Lab } from "../../kernel/kernel.ts";

/** Formats an age with Kubernetes' rounding: "5m3s", "3h", "2d4h". */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return withRest(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? withRest(years, "y", days % 365, "d") : `${years}y`;
}

function withRest(count: number, unit: string, rest: number, small: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${small}`;
}

/** How long ago a time of the lab is, as people saw it on their clocks (ADR 0018): a pod made a minute ago is one minute old at any speed of the lab. */
export type Since = (time: number) => number;

export function sinceIn(lab: Pick<Lab, "now" | "timeOfDay">): Since {
  const now = lab.timeOfDay(lab.now());
  return (time) => now - lab.timeOfDay(time);
}

export function ageOf(time: string | undefined, since: Since): string {
  return time === undefined ? "<unknown>" : humanDuration(since(Date.parse(time)));
}
