import type { World } from "@talosmith/lib/world/world.ts";
import type { Report } from "./report.ts";

/** The environment of a read of a file that the config names, and its report. */
export interface Reading {
  readonly world: World;
  /** The environment's. */
  readonly folder: string;
  readonly report: Report;
}
