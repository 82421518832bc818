import { folderOf, isTest, type SourceFile, type Violation } from "./source-file.ts";
import { type Token, tokens } from "./tokens.ts";

/** What they know holds for every platform: what differs comes in through the interface Platform, or stands in the config under a name of its own. */
const SHARED = new Set(["engine", "steps", "talos", "kubernetes", "config"]);

/** Wherever they stand, in a comment too: whoever has to explain a platform there is about to know it. */
const NAMES = /proxmox|vps|hetzner|contabo|netcup|rescue/i;

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
  if (isTest(file.path) || !SHARED.has(folderOf(file.path))) return [];
  return [...wordsIn(file), ...textsIn(file), ...choicesIn(file)];
}

function wordsIn({ path, text }: SourceFile): Violation[] {
  return text.split("\n").flatMap((line, at) => {
    const word = NAMES.exec(line)?.[0];
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
  const looksUp = sign(1, "]") && (sign(-1, "[") || sign(-1, "."));
  const start = all.slice(0, at).findLastIndex((token) => token.kind === "name" && token.text === "switch");
  const between = start < 0 ? [] : all.slice(start + 1, at);
  const switched =
    sign(1, ")") && start >= 0 && between.every(({ kind, text }) => kind === "name" || text === "(" || text === ".");
  return compared || comparedWith || looksUp || switched;
}
