import type { World } from "@talosmith/lib/world/world.ts";
import type { Report } from "./report.ts";

/** Everything needed to read a file that the config names, and to report what is wrong with it. */
export interface Reading {
  readonly world: World;
  /** The environment's. */
  readonly folder: string;
  readonly report: Report;
}
