import { folderOf, isTest, type SourceFile, type Violation } from "./source-file.ts";
import { type Token, tokens } from "./tokens.ts";

/** What they know holds for every platform: what differs comes in through the interface Platform, or stands in the config under a name of its own. */
const SHARED = new Set(["engine", "steps", "talos", "kubernetes", "config"]);

/** Commands, and what they are made of. What differs comes from the platform's definition (src/platforms/definition.ts). */
const COMMANDS = new Set(["workflows", "operations", "views", "cli"]);

/** Wherever they stand, in a comment too: whoever has to explain a platform there is about to know it. */
const NAMES = /proxmox|vps|hetzner|contabo|netcup|rescue/i;

/** In commands also where it is part of a sentence; below them it is Talos's word for a kind of machine. */
const NAMES_IN_COMMANDS = new RegExp(`${NAMES.source}|\\bmetal\\b`, "i");

const LAB_NAMES = "services and machines of the lab, by the lab's names";

/** Files of commands in which such a word is another thing, and what. */
const OTHER_THINGS = new Map([
  ["src/cli/lab.ts", LAB_NAMES],
  ["src/cli/lab-fault.ts", LAB_NAMES],
  ["src/cli/lab-sites.ts", LAB_NAMES],
  ["src/cli/lab-start.ts", LAB_NAMES],
  ["src/cli/lab-status.ts", LAB_NAMES],
  ["src/cli/lab-wire.ts", LAB_NAMES],
  ["src/cli/demo-run.ts", LAB_NAMES],
  ["src/views/runbooks.ts", "error codes, which pages are named after"],
  ["src/workflows/sound-patches.ts", "how Talos's own validation is asked"],
]);

/** Platforms whose names are words of others as well: as a text of their own they are meant. */
const TEXTS = new Set(["metal", "nocloud", "oci", "cloud"]);

/** Where such a text is not our platform but Talos's own, and what it is there. */
const TALOS_NAMES = new Map([
  ["src/config/config.ts", "what Talos calls the kind of machine it runs on"],
  ["src/talos/image/image.ts", "which image of the factory, and which installer"],
  ["src/talos/config/cluster-input.ts", "which installer"],
  ["src/talos/config/validate.ts", "how Talos's own validation is asked"],
  ["src/talos/config/validate/facts.ts", "how Talos's own validation is asked"],
  ["src/talos/config/validate/original.ts", "how Talos's own validation is asked"],
]);

export function namedPlatforms(file: SourceFile): Violation[] {
  const folder = folderOf(file.path);
  if (isTest(file.path) || !file.path.startsWith("src/")) return [];
  if (SHARED.has(folder)) return [...wordsIn(file, NAMES), ...textsIn(file), ...choicesIn(file)];
  if (!COMMANDS.has(folder)) return [];
  return [...(OTHER_THINGS.has(file.path) ? [] : wordsIn(file, NAMES_IN_COMMANDS)), ...choicesIn(file)];
}

function wordsIn({ path, text }: SourceFile, names: RegExp): Violation[] {
  return text.split("\n").flatMap((line, at) => {
    const word = names.exec(line)?.[0];
    return word === undefined ? [] : [{ path, line: at + 1, message: `${word}: nothing here names a platform` }];
  });
}

function textsIn({ path, text }: SourceFile): Violation[] {
  if (TALOS_NAMES.has(path)) return [];
  return tokens(text)
    .filter(({ kind, text: said }) => (kind === "string" || kind === "template") && TEXTS.has(said))
    .map(({ line, text: said }) => ({ path, line, message: `"${said}": nothing here names a platform` }));
}

/** `config.platform`, and whatever depends on which platform it is. */
function choicesIn({ path, text }: SourceFile): Violation[] {
  const all = tokens(text);
  return all.flatMap((token, at) => {
    if (token.kind !== "name" || token.text !== "platform" || !isChoice(all, at)) return [];
    return [{ path, line: token.line, message: "nothing here depends on which platform it is" }];
  });
}

function isChoice(all: readonly Token[], at: number): boolean {
  const sign = (offset: number, text: string) => all[at + offset]?.kind === "sign" && all[at + offset]?.text === text;
  if (sign(-1, ".") && all[at - 2]?.text === "config") return true;
  // Whether there is one at all depends on no name.
  const compared = (sign(1, "=") || sign(1, "!")) && sign(2, "=") && all[at + (sign(3, "=") ? 4 : 3)]?.text !== "undefined";
  const comparedWith = sign(-1, "=") && sign(-2, "=");
  const looksUp = sign(1, "]") && isIndex(all, at);
  const start = all.slice(0, at).findLastIndex((token) => token.kind === "name" && token.text === "switch");
  const between = start < 0 ? [] : all.slice(start + 1, at);
  const switched =
    sign(1, ")") && start >= 0 && between.every(({ kind, text }) => kind === "name" || text === "(" || text === ".");
  return compared || comparedWith || looksUp || switched;
}

/** In brackets that follow a value: `NAMES[config.platform]`, but not `[platform]`. */
function isIndex(all: readonly Token[], at: number): boolean {
  let start = at - 1;
  while (all[start]?.kind === "name" || all[start]?.text === "." || all[start]?.text === "?") start--;
  const before = all[start - 1];
  const isValue = before?.kind === "name" ? before.text !== "return" : before?.text === ")" || before?.text === "]";
  return all[start]?.text === "[" && isValue;
}
