import { userError } from "@talosmith/lib/errors.ts";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Stage } from "../engine/step.ts";
import { ALL_STAGES, STAGES, type Stages } from "../workflows/stages.ts";

export interface CommonFlags {
  json?: boolean;
  color?: boolean;
  wire?: string;
  verbose?: boolean;
}

/** A command with what all of them take. */
export function command(name: string, description: string, examples: string): Command {
  return new Command(name)
    .description(description)
    .option("--json", "one event per line, for programs")
    .option("--no-color", "no colours (NO_COLOR does the same)")
    .option("--wire <file>", "connect to other addresses, as the file says (a lab's); to nothing else outside this machine")
    .addHelpText("after", `\nExamples:\n${examples}`);
}

export interface StageFlags {
  from?: Stage;
  until?: Stage;
  only?: Stage;
}

/** --only, --from and --until. */
export function stageOptions(to: Command): Command {
  const option = (name: string, about: string) => new Option(`--${name} <stage>`, about).argParser(stage);
  return to
    .addOption(option("from", "begin with this stage; what it needs must be there").conflicts("only"))
    .addOption(option("until", `stop after this stage (${STAGES.join(", ")})`).conflicts("only"))
    .addOption(option("only", "this stage alone; what it needs must be there"));
}

export function stagesOf({ from, until, only }: StageFlags): Stages {
  const stages = { from: only ?? from ?? ALL_STAGES.from, until: only ?? until ?? ALL_STAGES.until };
  if (STAGES.indexOf(stages.from) <= STAGES.indexOf(stages.until)) return stages;
  throw userError("STAGES", {
    message: `--from ${stages.from} comes after --until ${stages.until}`,
    hint: `the stages in order: ${STAGES.join(", ")}`,
  });
}

function stage(text: string): Stage {
  const found = STAGES.find((one) => one === text);
  if (!found) throw new InvalidArgumentError(`There is no stage "${text}"; the stages are ${STAGES.join(", ")}.`);
  return found;
}

/** For an option that may be given several times. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

/** `--destroy-disk`, of commands that remove machines. */
export function destroyDisk(to: Command): Command {
  const about = "delete this disk with its machine, although talosmith did not make it: NODE/SLOT, worker-1/scsi5 (repeatable)";
  return to.option("--destroy-disk <disk>", about, disk, []);
}

function disk(value: string, before: string[]): string[] {
  if (/^[^/\s]+\/[a-z]+\d+$/.test(value)) return collect(value, before);
  throw new InvalidArgumentError("A disk is named by its node and its slot: worker-1/scsi5.");
}

/** `--ignore-pdb`, of commands that drain nodes. */
export function ignorePdb(to: Command): Command {
  const about = "delete pods that this disruption budget protects, instead of waiting for it: NAMESPACE/NAME (repeatable)";
  return to.option("--ignore-pdb <budget>", about, budget, []);
}

function budget(value: string, before: string[]): string[] {
  if (/^[a-z0-9-]+\/[a-z0-9.-]+$/.test(value)) return collect(value, before);
  throw new InvalidArgumentError("A disruption budget is named by its namespace and its name: default/web.");
}

/** `--no-snapshot`, of commands that can lose what is in etcd. Commander calls it `snapshot: false`. */
export function noSnapshot(to: Command): Command {
  return to.option("--no-snapshot", "do not take a snapshot of etcd first");
}

/** `--verbose`, of commands that show a plan of what is made. */
export function verbose(to: Command): Command {
  return to.option("--verbose", "show every field of what is made, and the line of the config that sets it");
}

export const REMOVE_ADDON = "take this addon out of the cluster; the config has it no longer (repeatable)";

export const ENVIRONMENT = ["<environment>", "the environment's folder"] as const;
