import { messageOf } from "@talosmith/lib/errors.ts";
import type { Process } from "../pods/program.ts";
import { ClusterApi } from "./api.ts";
import { type HelmArguments, parseArguments } from "./argv.ts";
import { rollback } from "./rollback.ts";
import { uninstall } from "./uninstall.ts";
import { upgrade } from "./upgrade.ts";

type Command = (run: Process, api: ClusterApi, args: HelmArguments) => Promise<void>;

const COMMANDS: Record<string, Command> = {
  install: upgrade,
  upgrade,
  rollback,
  uninstall,
  delete: uninstall,
  version: async (run) =>
    run.log('version.BuildInfo{Version:"v3.19.0", GitCommit:"", GitTreeState:"clean", GoVersion:"go1.24.7"}'),
};

/** Runs helm in a container: `helm COMMAND …`, with its output in the log and its exit code. */
export async function helmCommand(run: Process): Promise<number> {
  try {
    const args = parseArguments(run.argv.slice(1));
    const command = Object.hasOwn(COMMANDS, args.command) ? COMMANDS[args.command] : undefined;
    if (!command) throw new Error(`unknown command ${JSON.stringify(args.command)} for "helm"\n\nRun 'helm --help' for usage.`);
    await command(run, new ClusterApi(run), args);
    return 0;
  } catch (error) {
    if (run.signal.aborted) throw error;
    run.log(`Error: ${messageOf(error)}`);
    return 1;
  }
}
