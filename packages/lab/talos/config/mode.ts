import type { Disk } from "../state.ts";

/** The circumstances in which a node validates a config. */
export interface ValidationMode {
  /** "metal", "cloud" */
  name: string;
  /** The config must contain an install target. */
  requiresInstall: boolean;
  /** Version of Talos: "v1.13.9". */
  version: string;
  /** The machine's disks, as possible install targets. */
  disks: readonly Disk[];
}
