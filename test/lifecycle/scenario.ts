import type { VolatileFiles } from "../support/volatile-files.ts";
import type { Commands, Outcome } from "./commands.ts";

/** A lab and the talosmith that works on it, which tells when a call has taken effect. */
export type Stage = Commands & { onAnswer: (() => void) | undefined };

/** A command on a world in a certain state, and what must be there in the end. */
export interface Scenario<S extends Stage> {
  name: string;
  /** Brings a fresh lab and a folder to where the command starts. */
  prepare(scene: S): Promise<VolatileFiles>;
  run(scene: S, files: VolatileFiles, seed: string): Promise<Outcome>;
  /** The command that follows a crash, when it is not the same one. */
  next?(scene: S, files: VolatileFiles): Promise<Outcome>;
  /** Asked before the command is run: what will be wrong after it has ended well. `secrets` is what secrets.yaml held when it was cut off. */
  judge(scene: S): Promise<(files: VolatileFiles, secrets: string | undefined) => Promise<string[]>>;
  /** Nodes that go for good. */
  leaving?: readonly string[];
  /** The command takes all nodes out of service at once. */
  takesAll?: true;
  /** Disks of others that the command names, and that may go: "worker-1/scsi5". */
  destroyDisks?: readonly string[];
  /** Call sites at which even an undisturbed run is refused, and goes another way. */
  refused?: RegExp;
  /** Whose calls go wrong here; those of the others do so in another scenario. */
  services: readonly string[];
  /** Only with FULL=1: other tests and scenarios show most of it. */
  rare?: true;
}

/** Scenarios that are played in labs of the same kind. */
export interface Play<S extends Stage> {
  open(seed: string): Promise<S>;
  scenarios: readonly Scenario<S>[];
}
