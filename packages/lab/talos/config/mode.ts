import type { Disk } from "../state.ts";

/** How a node looks at a config. */
export interface ValidationMode {
  /** "metal", "cloud" */
  name: string;
  /** The config must say where to install to. */
  requiresInstall: boolean;
  /** Of Talos: "v1.13.9". */
  version: string;
  /** What it could be installed to. */
  disks: readonly Disk[];
}
