import { commandsIn } from "../rescue/shell/commands.ts";
import { SyntaxProblem } from "../rescue/shell/syntax.ts";

/** Programs that only look, and those of which only some words do more. */
const LOOKS = new Set([
  ...["cat", "echo", "printf", "grep", "head", "tail", "wc", "cut", "true", "false", ":", "test", "[", "ls", "readlink", "sleep"],
  ...["umask", "set", "export", "exit", "bash", "sh", "command"],
  ...["uname", "hostname", "whoami", "id", "lsmod", "dpkg", "lspci", "dmesg", "ip", "pveversion", "sync"],
]);
const LOOKING_WORDS = new Set(["list", "get", "status", "permissions", "config", "is-active", "is-enabled", "-n"]);

/** Whether a command line could change its host; who cannot be read could not. */
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
  // What a function is called with is looked at where it is called.
  if (name === "" || name === "$") return false;
  if (name === "ssh") return changesSomething(args.slice(args.findIndex((arg) => arg.startsWith("root@")) + 1).join(" "));
  if (LOOKS.has(name)) return false;
  return !args.some((arg) => LOOKING_WORDS.has(arg));
}
