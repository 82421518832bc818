import { parse } from "./parser.ts";
import type { Command, List, Part, Redirect, Word } from "./syntax.ts";

/** A command as it is written: what stands for something else is a "$". */
interface Called {
  name: string;
  args: string[];
  /** Files its output goes to. */
  writes: string[];
}

/** Every command in a text, inside of others too; in which order they run, and whether, is not looked at. Throws a SyntaxProblem. */
export function commandsIn(source: string): Called[] {
  return inList(parse(source));
}

function inList(list: List): Called[] {
  return list.flatMap(({ first, rest }) =>
    [first, ...rest.map(({ pipeline }) => pipeline)].flatMap(({ commands }) => commands.flatMap(inCommand)),
  );
}

function inCommand(command: Command): Called[] {
  const inWords = wordsOf(command).flatMap((word) => word.flatMap(inPart));
  switch (command.is) {
    case "simple": {
      const [name = "", ...args] = command.words.map(textOf);
      const inner = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|nohup|setsid|timeout)$/.test(name)
        ? args.filter((arg) => /\s/.test(arg)).flatMap(commandsIn)
        : [];
      return [...inWords, { name, args, writes: command.redirects.flatMap(written) }, ...inner];
    }
    case "if":
      return [
        ...inWords,
        ...command.branches.flatMap(({ test, body }) => [...inList(test), ...inList(body)]),
        ...inList(command.otherwise ?? []),
      ];
    case "loop":
      return [...inList(command.test), ...inList(command.body)];
    case "case":
      return [...inWords, ...command.arms.flatMap(({ body }) => inList(body))];
    case "function":
      return inCommand(command.body);
    default:
      return [...inWords, ...inList(command.body)];
  }
}

function wordsOf(command: Command): Word[] {
  if (command.is === "simple") return [...command.words, ...command.assignments.map(({ value }) => value)];
  if (command.is === "case") return [command.word];
  return command.is === "for" ? (command.words ?? []) : [];
}

function inPart(part: Part): Called[] {
  return part.is === "command" ? inList(part.body) : [];
}

function written(redirect: Redirect): string[] {
  return redirect.is === "write" || redirect.is === "append" || redirect.is === "both" ? [textOf(redirect.path)] : [];
}

function textOf(word: Word): string {
  return word.map((part) => (part.is === "text" ? part.text : "$")).join("");
}
