import { isTransient } from "@talosmith/lib/errors.ts";
import type { Clock } from "@talosmith/lib/world/world.ts";
import { linesOf } from "./lines.ts";
import { refusal, refused } from "./refusal.ts";
import type { Servers } from "./servers.ts";

/** A program may be silent for this long; a new request then costs little. */
const SILENCE_MS = 5 * 60_000;
const PAUSES_MS = [200, 1_000, 3_000, 10_000];

/** Yields the lines of a container's log, each once even when the connection is lost. Ends with the container or the signal. */
export async function* followLog(
  servers: Servers,
  clock: Clock,
  pod: { name: string; path: string; container?: string | undefined; tailLines?: number | undefined },
  signal: AbortSignal,
): AsyncIterable<string> {
  const place = new Place();
  let lost = 0;
  while (!signal.aborted) {
    const query = new URLSearchParams({ follow: "true", timestamps: "true" });
    if (pod.container !== undefined) query.set("container", pod.container);
    if (place.last !== undefined) query.set("sinceTime", place.last);
    else if (pod.tailLines !== undefined) query.set("tailLines", String(pod.tailLines));
    try {
      const stream = await servers.open(`${pod.path}/log?${query}`, SILENCE_MS, signal);
      if ("refused" in stream) throw refused(`read the log of pod ${pod.name}`, stream.refused.host, refusal(stream.refused));
      place.again();
      for await (const line of linesOf(stream.parts)) {
        lost = 0;
        const text = place.takes(line);
        if (text !== undefined) yield text;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      const pause = PAUSES_MS[lost++];
      if (pause === undefined || place.last === undefined || !isTransient(error)) throw error;
      await clock.sleep(pause, signal).catch(() => {});
    }
  }
}

/** The position in the log: the time of the last line, and how many lines with that time were read. */
class Place {
  last: string | undefined;
  #sameTime = 0;
  #skip = 0;

  /** After a reconnection the server repeats lines from the last time on, or all lines. */
  again(): void {
    this.#skip = this.#sameTime;
  }

  /** The text of a line, or undefined when it was read before. */
  takes(line: string): string | undefined {
    const [, time, text] = /^(\S+) ?(.*)$/s.exec(line) ?? [];
    if (time === undefined || text === undefined || Number.isNaN(Date.parse(time))) return line;
    const order = this.last === undefined ? 1 : compareTimes(time, this.last);
    if (order < 0) return undefined;
    if (order === 0 && this.#skip > 0) {
      this.#skip--;
      return undefined;
    }
    this.#sameTime = order === 0 ? this.#sameTime + 1 : 1;
    if (order > 0) this.#skip = 0;
    this.last = time;
    return text;
  }
}

/** In nanoseconds, which Date does not support. */
function compareTimes(a: string, b: string): number {
  const second = (time: string) => Date.parse(time.replace(/\.\d+/, ""));
  const fraction = (time: string) => (/\.(\d+)/.exec(time)?.[1] ?? "").padEnd(9, "0");
  return second(a) - second(b) || (fraction(a) < fraction(b) ? -1 : fraction(a) > fraction(b) ? 1 : 0);
}
