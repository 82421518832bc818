import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { SimulatedError } from "../../proxmox/refusal.ts";
import { callAsRoot, findMethod, type Verb } from "./api.ts";
import { asTable, canonicalJson } from "./output.ts";
import { done, type Ended, failed, type Program, printed, type Started } from "./program.ts";

/** A subcommand: a method of the API, and which of its parameters are given by place. */
export interface Subcommand {
  verb: Verb;
  /** ":name" stands for what is given by that name. */
  path: string;
  arguments: readonly string[];
  /** Those that may follow by place. */
  optional?: readonly string[];
  /** Always sent, whatever is given. */
  fixed?: Readonly<Record<string, string>>;
  /** Makes parameters of what was given, where they are not the same. */
  asParameters?(given: Record<string, string | string[]>): Record<string, string | string[]>;
  /** Prints what it gets, in the format that --output-format names. */
  prints?: true;
  /** In its own way, when no format is named. */
  print?(data: Json): string;
}

/** By the words that select it: "user token add". Words may be shortened as long as they stay clear. */
export type Subcommands = Readonly<Record<string, Subcommand>>;

const DIED = 255;

/** A program made of such a table: what PVE::CLIHandler does with it, texts and exit codes included. */
export function cliProgram(name: string, table: Subcommands, aliases: Readonly<Record<string, string>> = {}): Program {
  return async (started) => {
    const found = resolve(name, table, aliases, started.args);
    if ("problem" in found) return failed(DIED, `ERROR: ${found.problem}\n${usage(name)}`);
    return runSubcommand(started, found.command, found.words, found.rest);
  };
}

async function runSubcommand(started: Started, command: Subcommand, title: string, args: readonly string[]): Promise<Ended> {
  const options = readOptions(args, repeatable(started.lab, command.verb, command.path.replace(/:\w+/g, "x")));
  if ("problem" in options) return failed(DIED, options.problem);
  const { given, places } = options;
  const { arguments: needed, optional = [] } = command;
  if (places.length > needed.length + optional.length) return failed(DIED, "400 too many arguments\n");
  if (places.length < needed.length) {
    const shown = [...needed.map((one) => `<${one}>`), ...optional.map((one) => `[<${one}>]`)];
    return failed(DIED, `400 not enough arguments\n${title} ${shown.join(" ")} [OPTIONS]\n`);
  }
  const named = Object.fromEntries(places.map((place, index) => [[...needed, ...optional][index] ?? "", place]));
  const all = { ...given, ...named, ...command.fixed };
  const params: Record<string, string | string[]> = command.asParameters?.(all) ?? all;
  const path = command.path.replace(/:(\w+)/g, (_, key: string) => {
    const value = String(params[key] ?? (key === "node" ? started.host : ""));
    delete params[key];
    return value;
  });
  return callAndPrint(started, command.verb, path, { ...options, given: params }, command);
}

/** One call of the API, printed as the options say. */
export async function callAndPrint(
  { lab, host }: Started,
  verb: Verb,
  path: string,
  { given, format, quiet }: Options,
  { prints, print }: Pick<Subcommand, "prints" | "print">,
): Promise<Ended> {
  try {
    const data = await callAsRoot(lab, host, verb, path, given);
    if (quiet || !(prints || print) || (data === null && format === "text")) return done;
    return printed(format === "text" && print ? print(data) : formatted(data, format));
  } catch (error) {
    if (error instanceof SimulatedError) return failed(DIED, refusalText(error));
    throw error;
  }
}

type Format = "text" | "json" | "json-pretty" | "yaml";

function formatted(data: Json, format: string): string {
  if (format === "json") return `${canonicalJson(data)}\n`;
  if (format === "json-pretty" || format === "yaml") return `${canonicalJson(data, 3)}\n`;
  return asTable(data);
}

/** PVE::Exception as text: parameters that are wrong follow one a line. */
function refusalText({ status, message, errors }: SimulatedError): string {
  const lines = Object.entries(errors ?? {}).map(([key, text]) => `${key}: ${text.replace(/\n+$/, "")}\n`);
  // A plain die has no code of its own: 500 is what the web server makes of it.
  return `${status === 500 ? "" : `${status} `}${message.replace(/\n+$/, "")}\n${lines.join("")}`;
}

export interface Options {
  given: Record<string, string | string[]>;
  places: string[];
  format: Format;
  quiet: boolean;
}

/** Getopt::Long as JSONSchema::get_options sets it up: one or two dashes, "=" or the next word; lists may be repeated. */
export function readOptions(args: readonly string[], lists: readonly string[]): Options | { problem: string } {
  const given: Record<string, string | string[]> = {};
  const places: string[] = [];
  let format: Format = "text";
  let quiet = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      places.push(...args.slice(at + 1));
      break;
    }
    const [, name, value] = /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    if (name === undefined) {
      places.push(arg);
      continue;
    }
    const next = args[at + 1];
    // An option whose value is missing is a switch.
    const text = value ?? (next !== undefined && !/^--?[A-Za-z]/.test(next) ? args[++at] : undefined) ?? "1";
    if (name === "output-format") {
      if (!/^(text|json|json-pretty|yaml)$/.test(text))
        return {
          problem: `400 Parameter verification failed.\noutput-format: value '${text}' does not have a value in the enumeration 'text, json, json-pretty, yaml'\n`,
        };
      format = text as Format;
    } else if (name === "quiet") quiet = true;
    else if (["noborder", "noheader", "human-readable", "noproxy"].includes(name)) continue;
    else {
      const before = given[name];
      given[name] = before === undefined ? text : [...[before].flat(), text];
      if (before !== undefined && !lists.includes(name)) given[name] = text;
    }
  }
  return { given, places, format, quiet };
}

/** Lists may be given several times. */
export function repeatable(lab: Lab, verb: Verb, path: string): string[] {
  const found = findMethod(lab, verb, path);
  return Object.entries(found?.takes ?? {}).flatMap(([name, property]) => (property.list || property.array ? [name] : []));
}

type Resolved = { command: Subcommand; words: string; rest: readonly string[] } | { problem: string };

function resolve(name: string, table: Subcommands, aliases: Readonly<Record<string, string>>, args: readonly string[]): Resolved {
  const [first, ...others] = args;
  if (first === undefined) return { problem: "no command specified" };
  const alias = aliases[first];
  const given = alias === undefined ? args : [...alias.split(" "), ...others];
  let known = Object.keys(table).map((key) => key.split(" "));
  const words: string[] = [];
  for (const [index, arg] of given.entries()) {
    const choices = [...new Set(known.map((key) => key[index]))].filter((word): word is string => word !== undefined);
    const fitting = choices.includes(arg) ? [arg] : choices.filter((word) => word.startsWith(arg));
    const [word] = fitting;
    if (fitting.length !== 1 || word === undefined) return { problem: `unknown command '${[name, ...words, arg].join(" ")}'` };
    words.push(word);
    known = known.filter((key) => key[index] === word);
    const command = table[words.join(" ")];
    if (command) return { command, words: [name, ...words].join(" "), rest: given.slice(index + 1) };
  }
  return { problem: `incomplete command '${[name, ...words].join(" ")}'` };
}

function usage(name: string): string {
  return `USAGE: ${name} <COMMAND> [ARGS] [OPTIONS]\n\n`;
}
