import { Command, CommanderError } from "commander";
import { processTerminal } from "../views/terminal.ts";
import { downCommand } from "./down.ts";
import { labCommand } from "./lab.ts";
import { planCommand } from "./plan.ts";
import { runsCommand } from "./runs.ts";
import { statusCommand } from "./status.ts";
import { upCommand } from "./up.ts";
import { VERSION } from "./version.ts";

const EXAMPLES = `
Examples:
  talosmith lab start                                   an embedded Proxmox to try things on
  talosmith plan environments/lab                       what would change
  talosmith up environments/lab --until provision       make it so
  talosmith down environments/lab                       remove what this environment owns

Exit codes: 0 done or nothing to change, 1 error, 2 the plan has changes, 130 interrupted.`;

export function program(): Command {
  const root = new Command("talosmith")
    .description("One config file in, a verified Talos Kubernetes cluster out.")
    .version(`talosmith ${VERSION}`, "-V, --version")
    .addHelpText("after", EXAMPLES)
    .helpCommand(false)
    .showHelpAfterError("(add --help for what it takes)");
  for (const command of [planCommand(), upCommand(), downCommand(), statusCommand(), runsCommand(), labCommand()])
    root.addCommand(command);
  return root;
}

/** Takes errors of usage, so that they end like every other user error: a sentence and exit code 1. */
function quiet(command: Command): void {
  const out = processTerminal("stdout");
  const err = processTerminal("stderr");
  command.exitOverride().configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) });
  for (const sub of command.commands) quiet(sub);
}

export async function run(args: readonly string[]): Promise<void> {
  const root = program();
  quiet(root);
  try {
    await root.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 1;
  }
}
