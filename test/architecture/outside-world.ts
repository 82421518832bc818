import { importsOf } from "./imports.ts";
import { isTest, type SourceFile, type Violation } from "./source-file.ts";
import { type Token, tokens } from "./tokens.ts";

const WORLD = /^packages\/lib\/world\//;
const CLI = /^src\/cli\//;
const VIEWS = /^src\/views\//;
const NOWHERE = /^$/;
const COMPUTED = "[…]";

/** Modules that only compute: free for everybody. All others are for the World, or for those named below. Types are always free. */
const PURE_MODULES = new Set(
  [
    "assert",
    "async_hooks",
    "buffer",
    "crypto",
    "events",
    "path",
    "stream",
    "stream/promises",
    "string_decoder",
    "url",
    "util",
    "zlib",
  ].map((name) => `node:${name}`),
);
const MODULES_FOR: readonly { module: string; in: RegExp }[] = [
  { module: "node:http2", in: /^src\/talos\/api\// },
  { module: "node:http", in: /^packages\/lib\/http\// },
  { module: "node:readline", in: VIEWS },
  { module: "node:readline/promises", in: VIEWS },
];

/** Members of `process` outside the World; what is not listed is for the World alone. */
const PROCESS_FOR = new Map([
  ...["argv", "exit", "exitCode", "on", "once", "off"].map((member) => [member, CLI] as const),
  // A view may choose its stream: process[stream].
  ...["stdin", "stdout", "stderr", COMPUTED].map((member) => [member, VIEWS] as const),
]);

/** Names that reach outside wherever they stand alone, and what they reach. */
const GLOBALS = new Map([
  ["setTimeout", "timers"],
  ["setInterval", "timers"],
  ["setImmediate", "timers"],
  ["fetch", "the network"],
  ["WebSocket", "the network"],
  ["EventSource", "the network"],
]);
/** The same for members of globals; "*" is any. */
const MEMBERS = new Map([
  ["Date.now", "the clock"],
  ["performance.*", "the clock"],
  ["Math.random", "chance"],
  ["AbortSignal.timeout", "timers"],
  ["globalThis.*", "globals by a back door"],
]);
/** Parts of node:crypto that are not computing. */
const CHANCE = /^(random(Bytes|UUID|Int|Fill|FillSync)|getRandomValues|webcrypto|generate(Key|KeyPair|Prime)(Sync)?)$/;

/** Where a file reaches for the outside without the World, writes to the terminal or ends the program, and may not. */
export function wrongReach(file: SourceFile): Violation[] {
  if (isTest(file.path) || WORLD.test(file.path)) return [];
  const violation = (line: number, message: string) => ({ path: file.path, line, message });
  const modules = importsOf(file.text)
    .filter(({ specifier, kind }) => kind !== "type" && specifier !== undefined && !mayImport(file.path, specifier))
    .map(({ specifier, line }) => violation(line, `${specifier} is for packages/lib/world`));
  const all = tokens(file.text);
  const uses = all.flatMap((token, at) => {
    const message = token.kind === "name" ? problemOf(file.path, all, at) : undefined;
    return message === undefined ? [] : [violation(token.line, message)];
  });
  return [...modules, ...uses];
}

function mayImport(path: string, specifier: string): boolean {
  if (!specifier.startsWith("node:")) return true;
  return PURE_MODULES.has(specifier) || MODULES_FOR.some((rule) => rule.module === specifier && rule.in.test(path));
}

function problemOf(path: string, all: Token[], at: number): string | undefined {
  const name = all[at]?.text ?? "";
  if (CHANCE.test(name)) return `${name}: chance and keys come from the World`;
  if (all[at - 1]?.text === "." || isKey(all, at)) return undefined;
  const member = memberAfter(all, at);
  if (name === "process" && member !== undefined) {
    return (PROCESS_FOR.get(member) ?? NOWHERE).test(path) ? undefined : `process.${member} is not for this folder`;
  }
  if (name === "console" && member !== undefined) return VIEWS.test(path) ? undefined : "only views write to the terminal";
  if (name === "Date" && asksForNow(all, at)) return "Date without an argument: the time comes from the World";
  const reached =
    GLOBALS.get(name) ?? (member === undefined ? undefined : (MEMBERS.get(`${name}.${member}`) ?? MEMBERS.get(`${name}.*`)));
  return reached === undefined ? undefined : `${[name, member].filter(Boolean).join(".")}: ${reached} only through the World`;
}

/** A property's or parameter's name, or a method being declared: not the global of that name. */
function isKey(all: Token[], at: number): boolean {
  const next = all[at + 1]?.text;
  if (next === ":" || (next === "?" && all[at + 2]?.text === ":")) return all[at - 1]?.text !== "?";
  return all[at - 1]?.text === "function";
}

/** `.x`, `?.x` or `["x"]` right after. */
function memberAfter(all: Token[], at: number): string | undefined {
  const dot = all[at + 1]?.text === "?" && all[at + 2]?.text === "." ? at + 2 : at + 1;
  if (all[dot]?.text === ".") return all[dot + 1]?.text;
  if (all[at + 1]?.text === "[") return all[at + 2]?.kind === "string" ? all[at + 2]?.text : COMPUTED;
  return undefined;
}

/** `new Date()`, `new Date` and the call `Date(…)`, which ignores what it is given. */
function asksForNow(all: Token[], at: number): boolean {
  const called = all[at + 1]?.text === "(";
  if (all[at - 1]?.text !== "new") return called;
  return !called || all[at + 2]?.text === ")";
}
