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

/**
 * Makes a command with the flags that all commands have. `wire`: commands that do not contact the infrastructure accept --wire, because hints
 * repeat it, without listing it.
 */
export function command(name: string, description: string, examples: string, wire: "listed" | "accepted" = "listed"): Command {
  const about = "redirect connections as this file says (to a lab); refuse all others that leave this computer";
  return plainCommand(name, description, examples)
    .option("--json", "print one JSON event per line, for programs")
    .option("--no-color", "no colours (NO_COLOR does the same)")
    .addOption(new Option("--wire <file>", about).hideHelp(wire === "accepted"));
}

/** Makes a command without flags: a group of commands, or one that only prints a text. */
export function plainCommand(name: string, description: string, examples: string): Command {
  return new Command(name).description(description).helpCommand(false).addHelpText("after", `\nExamples:\n${examples}`);
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

/** Adds an option that may be given several times: a list, empty without it. Its help shows no "(default: [])". */
export function repeatable(to: Command, flags: string, about: string, read = (text: string) => text): Command {
  const option = new Option(flags, `${about} (repeatable)`).argParser((text: string, before: string[]) => [
    ...before,
    read(text),
  ]);
  return to.addOption(option).setOptionValueWithSource(option.attributeName(), [], "default");
}

/** Adds `--destroy-disk`, for commands that remove machines. */
export function destroyDisk(to: Command): Command {
  const about = "delete this disk with its machine, although talosmith did not make it: NODE/SLOT, such as worker-1/scsi5";
  return repeatable(to, "--destroy-disk <disk>", about, disk);
}

function disk(value: string): string {
  if (/^[^/\s]+\/[a-z]+\d+$/.test(value)) return value;
  throw new InvalidArgumentError("Name a disk by its node and its slot, such as worker-1/scsi5.");
}

/** Adds `--ignore-pdb`, for commands that drain nodes. */
export function ignorePdb(to: Command): Command {
  const about = "delete pods that this disruption budget protects, instead of waiting for it: NAMESPACE/NAME";
  return repeatable(to, "--ignore-pdb <budget>", about, budget);
}

function budget(value: string): string {
  if (/^[a-z0-9-]+\/[a-z0-9.-]+$/.test(value)) return value;
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

/** Adds `--remove-addon`. */
export function removeAddon(to: Command): Command {
  return repeatable(to, "--remove-addon <addon>", "remove this addon, which is no longer in the config, from the cluster");
}

export const ENVIRONMENT = ["<environment>", "the environment's folder"] as const;
