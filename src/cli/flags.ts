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

/** Makes a command with the flags that all commands have. */
export function command(name: string, description: string, examples: string): Command {
  return new Command(name)
    .description(description)
    .option("--json", "print one JSON event per line, for programs")
    .option("--no-color", "no colours (NO_COLOR does the same)")
    .option("--wire <file>", "redirect connections as this file says (to a lab); refuse all others that leave this computer")
    .addHelpText("after", `\nExamples:\n${examples}`);
}

export interface StageFlags {
  from?: Stage;
  until?: Stage;
  only?: Stage;
}

/** Adds --only, --from and --until. */
export function stageOptions(to: Command): Command {
  const option = (name: string, about: string) => new Option(`--${name} <stage>`, about).argParser(stage);
  return to
    .addOption(option("from", "start with this stage; what it needs must exist already").conflicts("only"))
    .addOption(option("until", `stop after this stage (${STAGES.join(", ")})`).conflicts("only"))
    .addOption(option("only", "run only this stage; what it needs must exist already"));
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

/** Collects the values of a repeatable option. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

/** Adds `--destroy-disk`, for commands that remove machines. */
export function destroyDisk(to: Command): Command {
  const about =
    "delete this disk with its machine, although talosmith did not make it: NODE/SLOT, such as worker-1/scsi5 (repeatable)";
  return to.option("--destroy-disk <disk>", about, disk, []);
}

function disk(value: string, before: string[]): string[] {
  if (/^[^/\s]+\/[a-z]+\d+$/.test(value)) return collect(value, before);
  throw new InvalidArgumentError("Name a disk by its node and its slot, such as worker-1/scsi5.");
}

/** Adds `--ignore-pdb`, for commands that drain nodes. */
export function ignorePdb(to: Command): Command {
  const about = "delete pods that this disruption budget protects, instead of waiting for it: NAMESPACE/NAME (repeatable)";
  return to.option("--ignore-pdb <budget>", about, budget, []);
}

function budget(value: string, before: string[]): string[] {
  if (/^[a-z0-9-]+\/[a-z0-9.-]+$/.test(value)) return collect(value, before);
  throw new InvalidArgumentError("Name a disruption budget by its namespace and its name, such as default/web.");
}

/** Adds `--no-snapshot`, for commands that can lose etcd's data. Commander calls it `snapshot: false`. */
export function noSnapshot(to: Command): Command {
  return to.option("--no-snapshot", "do not take a snapshot of etcd first");
}

/** Adds `--verbose`, for commands that show a plan. */
export function verbose(to: Command): Command {
  return to.option("--verbose", "show every field of what is created, and the line of the config that sets it");
}

export const REMOVE_ADDON = "remove this addon, which is no longer in the config, from the cluster (repeatable)";

export const ENVIRONMENT = ["<environment>", "the environment's folder"] as const;
