import type { Event } from "../engine/event.ts";

/** Collects the events of a run for its report. */
export interface Report {
  event(event: Event): void;
  markdown(): string;
}
