import { commandsIn } from "../shell/commands.ts";
import { COMMON } from "../shell/programs/every-machine.ts";
import { SyntaxProblem } from "../shell/syntax.ts";

/** Programs that change nothing. */
const LOOKS = new Set([
  ...Object.keys(COMMON).filter(
    (name) => !["env", "nohup", "setsid", "nice", "ionice", "tee", "timeout", "xargs"].includes(name),
  ),
  ...["umask", "set", "export", "exit", "command", "cd", ":", "ls", "readlink"],
  ...["uname", "hostname", "whoami", "id", "lsmod", "dpkg", "lspci", "dmesg", "ip", "pveversion"],
]);
/** Words that make a program change nothing. */
const LOOKING_WORDS = new Set(["list", "get", "status", "permissions", "config", "is-active", "is-enabled", "-n"]);

/** Whether a command line could change its host; one that cannot be parsed could not. */
export function changesSomething(line: string): boolean {
  try {
    return commandsIn(line).some(({ name, args, writes }) => writes.some((path) => path !== "/dev/null") || changes(name, args));
  } catch (error) {
    if (error instanceof SyntaxProblem) return false;
    throw error;
  }
}

function changes(called: string, args: readonly string[]): boolean {
  const name = called.replace(/^\/(?:usr\/)?s?bin\//, "");
  // The body of a function is judged where its commands are, its arguments where it is called.
  if (name === "" || name === "$") return false;
  if (name === "ssh") return changesSomething(args.slice(args.findIndex((arg) => arg.startsWith("root@")) + 1).join(" "));
  if (LOOKS.has(name)) return false;
  return !args.some((arg) => LOOKING_WORDS.has(arg));
}
