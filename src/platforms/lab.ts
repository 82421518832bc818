import type { PlatformFlag } from "./platform-flag.ts";

/** A platform's infrastructure as the embedded lab simulates it. */
export interface PlatformLab {
  /** The lab's name for it, see src/cli/lab-sites.ts. */
  readonly site: string;
  /** For help: "rented servers". */
  readonly about: string;
  /** Flags of `lab start`. */
  readonly flags: readonly PlatformFlag[];
  /** Writes a first config for an environment on the lab. Values that change when a lab is started again are references to files. */
  firstConfig(lab: LabPlace, wish: LabWish): Promise<string>;
}

export interface LabPlace {
  /** The lab's addresses without their last part: "127.80.1". */
  block: string;
  hosts: readonly string[];
  machines: readonly LabMachine[];
}

/** A machine that exists when the lab starts. */
export interface LabMachine {
  name: string;
  /** The last part of its address. */
  address: number;
  mac?: string;
  /** The serial of its system disk. */
  serial?: string;
}

export interface LabWish {
  name: string;
  controlPlanes: number;
  workers: number;
  /** The nodes can be reached only through their hosts. */
  isPrivate?: boolean;
}
