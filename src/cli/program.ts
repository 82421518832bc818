import { type Invocation, startedAs } from "@talosmith/lib/own-command.ts";
import { programName } from "@talosmith/lib/world/program-name.ts";
import { Command, CommanderError } from "commander";
import { PLATFORMS } from "../platforms/all.ts";
import { processTerminal } from "../views/terminal.ts";
import { abandonCommand } from "./abandon.ts";
import { backupCommand } from "./backup.ts";
import { completionCommand } from "./completion.ts";
import { COMPLETE } from "./completion-script.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { downCommand } from "./down.ts";
import { explainCommand } from "./explain.ts";
import type { CommonFlags } from "./flags.ts";
import { helpCommand } from "./help.ts";
import { imagesCommand } from "./images.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { labCommand } from "./lab.ts";
import { nodeCommand } from "./node.ts";
import { outputsCommand } from "./outputs.ts";
import { planCommand } from "./plan.ts";
import { platformCommands } from "./platform-command.ts";
import { rehearseCommand } from "./rehearse.ts";
import { resetCommand } from "./reset.ts";
import { restoreCommand } from "./restore.ts";
import { runbookCommand } from "./runbook.ts";
import { runsCommand } from "./runs.ts";
import { secretsCommand } from "./secrets.ts";
import { startCommand } from "./start.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { supportCommand } from "./support.ts";
import { tunnelCommand } from "./tunnel.ts";
import { unlockCommand } from "./unlock.ts";
import { upCommand } from "./up.ts";
import { verifyCommand } from "./verify.ts";
import { VERSION } from "./version.ts";

const EXAMPLES = `
Examples:
  talosmith demo                                  a whole cluster on the embedded lab
${`  talosmith init ${PLATFORMS[0].name} environments/homelab`.padEnd(49)} a config to fill in
  talosmith doctor environments/homelab           checks the prerequisites
  talosmith plan environments/homelab             shows what would change
  talosmith up environments/homelab               creates or changes the cluster
  talosmith down environments/homelab             removes what this environment owns

Exit codes: 0 done or nothing to change, 1 error, 2 the plan has changes, 130 interrupted.`;

const COMMANDS = [
  ...[initCommand, doctorCommand, planCommand, upCommand, statusCommand, outputsCommand, verifyCommand, runsCommand],
  ...[
    nodeCommand,
    stopCommand,
    startCommand,
    abandonCommand,
    downCommand,
    resetCommand,
    platformCommands,
    imagesCommand,
    tunnelCommand,
    importCommand,
    secretsCommand,
  ],
  ...[backupCommand, restoreCommand, unlockCommand, supportCommand, runbookCommand],
  ...[rehearseCommand, labCommand, demoCommand],
  ...[explainCommand, completionCommand, helpCommand],
];

export function program(): Command {
  const root = new Command("talosmith")
    .description("One config file in, a verified Talos Kubernetes cluster out.")
    .version(`talosmith ${VERSION}`, "-V, --version")
    .addHelpText("after", EXAMPLES)
    .helpCommand(false)
    .showHelpAfterError("(add --help for usage)");
  for (const made of COMMANDS.flatMap((make): Command | Command[] => make())) root.addCommand(made);
  return root;
}

/** Lets usage errors end like every other user error: a sentence and exit code 1. */
function quiet(command: Command): void {
  const out = processTerminal("stdout");
  const err = processTerminal("stderr");
  command.exitOverride().configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) });
  for (const sub of command.commands) quiet(sub);
}

/** Flags that a suggested command does not repeat: they concern only the output, or keep a command from doing anything. */
const NOT_REPEATED = ["--json", "--no-color", "--verbose", "--plan"];

function invocationOf(root: Command, running: Command, args: readonly string[]): Invocation {
  const environment: unknown =
    running.processedArgs[running.registeredArguments.findIndex((one) => one.name() === "environment")];
  return {
    program: programName(),
    words: args.filter((word) => !NOT_REPEATED.includes(word)),
    ...(typeof environment === "string" && { environment }),
    flagsOf: (name) => {
      // Read late: a lab may turn out to need a wire file.
      const { wire } = running.opts<CommonFlags>();
      return wire !== undefined && isListed(root, name, "--wire") ? ["--wire", wire] : [];
    },
  };
}

/** Commands that contact no server accept --wire without listing it. */
function isListed(root: Command, name: string, flag: string): boolean {
  const named = (at: Command, word: string) => at.commands.find((one) => one.name() === word) ?? at;
  return name
    .split(" ")
    .reduce(named, root)
    .options.some((option) => option.long === flag && !option.hidden);
}

export async function run(args: readonly string[]): Promise<void> {
  const root = program();
  if (args[0] === COMPLETE) {
    const { printCompletion } = await import("./completion-run.ts");
    return printCompletion(root, args.slice(1));
  }
  quiet(root);
  root.hook("preAction", (_, running) => startedAs(invocationOf(root, running, args)));
  try {
    await root.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 1;
  }
}
