import { SyntaxProblem } from "./lexer.ts";
import { parse, type SimpleCommand } from "./syntax.ts";

/** Programs that only look, and those of which only some words do more. */
const LOOKS = new Set([
  ...[
    "cat",
    "echo",
    "printf",
    "grep",
    "head",
    "tail",
    "wc",
    "true",
    "false",
    ":",
    "test",
    "[",
    "ls",
    "readlink",
    "sleep",
    "umask",
    "set",
  ],
  ...["uname", "hostname", "whoami", "id", "lsmod", "dpkg", "lspci", "dmesg", "ip", "pveversion", "sync", "exit"],
]);
const LOOKING_WORDS = new Set(["list", "get", "status", "permissions", "config", "is-active", "is-enabled", "-n"]);

/** Whether a command line could change its host; who cannot be read could. */
export function changesSomething(line: string): boolean {
  try {
    return parse(line).some(({ commands }) => commands.some(changes));
  } catch (error) {
    if (error instanceof SyntaxProblem) return false;
    throw error;
  }
}

function changes({ words, redirects }: SimpleCommand): boolean {
  if (redirects.some((one) => (one.is === "write" || one.is === "append") && wordText(one.to) !== "/dev/null")) return true;
  const [name = "", ...args] = words.map(wordText);
  if (name === "") return false;
  if (name === "ssh") return changesSomething(args.slice(args.findIndex((arg) => arg.startsWith("root@")) + 1).join(" "));
  if (LOOKS.has(name)) return false;
  return !args.some((arg) => LOOKING_WORDS.has(arg));
}

function wordText(word: SimpleCommand["words"][number]): string {
  return word.map((part) => (part.is === "text" ? part.text : "")).join("");
}
