import { parse } from "./shell/parser.ts";
import { type Command, type List, type Part, type Redirect, SyntaxProblem, type Word } from "./shell/syntax.ts";

/** Programs that change a server, and those of which only some words do. */
const CHANGES: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  dd: (args) => args.some((arg) => /^of=(?!\/dev\/null$)/.test(arg) && !/^of=(\$|\/tmp|\/run)/.test(arg)),
  ...Object.fromEntries(
    ["reboot", "poweroff", "halt", "shutdown", "kexec", "umount", "swapoff", "vgchange"].map((name) => [name, () => true]),
  ),
  wipefs: (args) => args.some((arg) => /^(-\w*a|--all)/.test(arg)) && !args.includes("-n"),
  mdadm: (args) => args.some((arg) => arg === "--stop" || arg === "-S"),
  systemctl: (args) => args.includes("reboot") || args.includes("poweroff"),
};

/** Whether a command line could change its server, and a word for what it is about. */
export function changed(line: string): { mutating: boolean; word: string } {
  try {
    const found = commandsIn(parse(line));
    const changing = found.find(({ name, args, writes }) => writes || CHANGES[name]?.(args));
    const first = found.find(({ name }) => !/^(export|echo|set|\[|:|umask|)$/.test(name));
    return { mutating: changing !== undefined, word: changing ? changing.name || "write" : (first?.name ?? "shell") };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { mutating: false, word: "shell" };
    throw error;
  }
}

interface Called {
  name: string;
  args: string[];
  /** Its output goes to a device, or to the kernel. */
  writes: boolean;
}

function commandsIn(list: List): Called[] {
  return list.flatMap(({ first, rest }) =>
    [first, ...rest.map(({ pipeline }) => pipeline)].flatMap(({ commands }) => commands.flatMap(inCommand)),
  );
}

function inCommand(command: Command): Called[] {
  const inWords = wordsOf(command).flatMap((word) => word.flatMap(inPart));
  switch (command.is) {
    case "simple": {
      const [name = "", ...args] = command.words.map(textOf);
      const inner = /^(sh|bash|nohup|setsid|timeout)$/.test(name)
        ? args.filter((arg) => /\s/.test(arg)).flatMap((arg) => commandsIn(parse(arg)))
        : [];
      return [...inWords, { name, args, writes: command.redirects.some(writesDevice) }, ...inner];
    }
    case "if":
      return [
        ...inWords,
        ...command.branches.flatMap(({ test, body }) => [...commandsIn(test), ...commandsIn(body)]),
        ...commandsIn(command.otherwise ?? []),
      ];
    case "loop":
      return [...commandsIn(command.test), ...commandsIn(command.body)];
    case "case":
      return [...inWords, ...command.arms.flatMap(({ body }) => commandsIn(body))];
    case "function":
      return inCommand(command.body);
    default:
      return [...inWords, ...commandsIn(command.body)];
  }
}

function wordsOf(command: Command): Word[] {
  if (command.is === "simple") return [...command.words, ...command.assignments.map(({ value }) => value)];
  if (command.is === "case") return [command.word];
  return command.is === "for" ? (command.words ?? []) : [];
}

function inPart(part: Part): Called[] {
  return part.is === "command" ? commandsIn(part.body) : [];
}

function writesDevice(redirect: Redirect): boolean {
  if (redirect.is !== "write" && redirect.is !== "append" && redirect.is !== "both") return false;
  return /^\/(dev\/(?!null|stdout|stderr|shm)|proc\/sysrq-trigger)/.test(textOf(redirect.path));
}

function textOf(word: Word): string {
  return word.map((part) => (part.is === "text" ? part.text : "$")).join("");
}
