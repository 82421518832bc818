import { Argument, type Command } from "commander";
import type { Shell } from "./completion-script.ts";
import { plainCommand } from "./flags.ts";

const EXAMPLES = `  talosmith completion bash >> ~/.bash_completion                          for every new bash
  talosmith completion zsh > "\${fpath[1]}/_talosmith"                       for every new zsh, in which compinit runs
  talosmith completion fish > ~/.config/fish/completions/talosmith.fish    for every new fish
  talosmith completion bash > /tmp/t && source /tmp/t                      only for this shell

Completes commands, flags, environments, their nodes and runs, stages, platforms and keys of config.yaml. The script starts the program as it
is typed; the program then reads files, and contacts no server.`;

export function completionCommand(): Command {
  return plainCommand("completion", "Print a script with which a shell completes commands.", EXAMPLES)
    .addArgument(new Argument("<shell>", "the shell that loads the script").choices(["bash", "zsh", "fish"]))
    .action(async (shell: Shell) => {
      const { printScript } = await import("./completion-run.ts");
      printScript(shell);
    });
}
