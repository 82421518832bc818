import type { VolatileFiles } from "../support/volatile-files.ts";
import type { Commands, Outcome } from "./commands.ts";

/** A lab and talosmith working on it, which reports when a call has taken effect. */
export type Stage = Commands & { onAnswer: (() => void) | undefined };

/** A command, the state it starts in, and the expected final state. */
export interface Scenario<S extends Stage> {
  name: string;
  /** Brings a new lab and a folder to the state in which the command starts. */
  prepare(scene: S): Promise<VolatileFiles>;
  run(scene: S, files: VolatileFiles, seed: string): Promise<Outcome>;
  /** The command after a crash, when it is not the same one. */
  next?(scene: S, files: VolatileFiles): Promise<Outcome>;
  /**
   * Called before the command; returns a function that finds violations after it has succeeded. `secrets` is the content of secrets.yaml at the
   * interruption.
   */
  judge(scene: S): Promise<(files: VolatileFiles, secrets: string | undefined) => Promise<string[]>>;
  /** Nodes that are removed for good. */
  leaving?: readonly string[];
  /** The command takes all nodes out of service at once. */
  takesAll?: true;
  /** Foreign disks that the command names, and that may be deleted: "worker-1/scsi5". */
  destroyDisks?: readonly string[];
  /** Call sites at which even an undisturbed run is refused, and tries an alternative. */
  refused?: RegExp;
  /** Services whose calls fail here; those of other services do so in other scenarios. */
  services: readonly string[];
  /** Only with FULL=1: other tests and scenarios cover most of it. */
  rare?: true;
}

/** Scenarios that run in labs of the same kind. */
export interface Play<S extends Stage> {
  open(seed: string): Promise<S>;
  scenarios: readonly Scenario<S>[];
}
