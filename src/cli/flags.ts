import { Command, InvalidArgumentError, Option } from "commander";
import { STAGES, type Stage } from "../engine/step.ts";
import { LAST_STAGE } from "../workflows/workflow.ts";

export interface CommonFlags {
  json?: boolean;
  color?: boolean;
}

/** A command with what all of them take. */
export function command(name: string, description: string, examples: string): Command {
  return new Command(name)
    .description(description)
    .option("--json", "one event per line, for programs")
    .option("--no-color", "no colours (NO_COLOR does the same)")
    .addHelpText("after", `\nExamples:\n${examples}`);
}

export function untilOption(): Option {
  return new Option("--until <stage>", `stop after this stage (${STAGES.slice(0, STAGES.indexOf(LAST_STAGE) + 1).join(", ")})`)
    .argParser(stage)
    .default(LAST_STAGE);
}

function stage(text: string): Stage {
  const found = STAGES.find((one) => one === text);
  if (!found) throw new InvalidArgumentError(`There is no stage "${text}"; the stages are ${STAGES.join(", ")}.`);
  if (STAGES.indexOf(found) > STAGES.indexOf(LAST_STAGE))
    throw new InvalidArgumentError(`The stage ${text} is not available yet in this version; the last one is ${LAST_STAGE}.`);
  return found;
}

export const ENVIRONMENT = ["<environment>", "the environment's folder"] as const;
