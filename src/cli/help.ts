import type { Command } from "commander";
import { nearest } from "../config/nearest.ts";
import { plainCommand } from "./flags.ts";

const EXAMPLES = `  talosmith help
  talosmith help up
  talosmith help node replace

The same as talosmith up --help. About keys of config.yaml: talosmith explain.`;

export function helpCommand(): Command {
  return plainCommand("help", "Show how to use a command.", EXAMPLES)
    .argument("[command...]", "the command, such as up or node replace")
    .action((words: string[], _: object, self: Command) => {
      const root = self.parent ?? self;
      let found = root;
      for (const word of words) found = subcommand(found, word) ?? unknown(root, found, word);
      found.outputHelp();
    });
}

function subcommand(of: Command, word: string): Command | undefined {
  return commandsOf(of).find((one) => one.name() === word || one.aliases().includes(word));
}

/** The commands that help lists. */
export function commandsOf(of: Command): readonly Command[] {
  return of.createHelp().visibleCommands(of);
}

function unknown(root: Command, within: Command, word: string): never {
  const names = commandsOf(within).map((one) => one.name());
  const said = [...pathOf(within), word].join(" ");
  const meant = nearest(word, names);
  const advice =
    meant !== undefined
      ? `did you mean ${[...pathOf(within), meant].join(" ")}?`
      : names.length === 0
        ? `${pathOf(within).join(" ")} has no commands of its own`
        : `the commands are ${names.join(", ")}`;
  return root.error(`error: there is no command "${said}"; ${advice}`);
}

/** The words after "talosmith". */
function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}
