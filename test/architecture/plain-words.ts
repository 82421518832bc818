import { isTest, type SourceFile, type Violation } from "./source-file.ts";
import { tokens } from "./tokens.ts";

/** Phrases that have to be read twice, and what to do instead. */
const PHRASES: readonly { phrase: RegExp; instead: string }[] = [
  { phrase: /\b(whoever|nobody|somebody)\b/i, instead: "name who: the user, an administrator, another program" },
  { phrase: /\b(is|are|was|were|be|been) told\b/i, instead: "say what happens: receives its config, is reported" },
  { phrase: /\btakes? leave\b/i, instead: "is removed" },
  { phrase: /\bof (ours|theirs)\b/i, instead: "name the owner: that talosmith created" },
  { phrase: /\b(is|are) none\b/i, instead: "say what is wrong: invalid, missing" },
  { phrase: /\b(goes|go) without saying\b/i, instead: "leave it out, or say it" },
  { phrase: /\bbe rid of\b/i, instead: "remove" },
  { phrase: /\bhere or there\b/i, instead: "name the places" },
];

/** How a doc comment must not begin: it starts with a verb or with the name of the thing. */
const OPENING = /^(What|Of|The same|Whoever|Nobody|Somebody)\b/;

/** Texts that users read: strings of the program, and documents for users. Code blocks in documents show output, which is a string of the program. */
export function oddPhrases(file: SourceFile): Violation[] {
  return visibleTexts(file).flatMap(({ text, line }) =>
    PHRASES.flatMap(({ phrase, instead }) => {
      const found = phrase.exec(text)?.[0];
      return found === undefined ? [] : [{ path: file.path, line, message: `"${found}": ${instead}` }];
    }),
  );
}

function visibleTexts({ path, text }: SourceFile): { text: string; line: number }[] {
  if (path.endsWith(".md")) return proseLines(text);
  if (isTest(path) || !path.startsWith("src/")) return [];
  return tokens(text).filter(({ kind, text: said }) => (kind === "string" || kind === "template") && said.includes(" "));
}

function proseLines(document: string): { text: string; line: number }[] {
  let inBlock = false;
  return document.split("\n").flatMap((text, at) => {
    if (text.startsWith("```")) inBlock = !inBlock;
    return inBlock ? [] : [{ text, line: at + 1 }];
  });
}

export interface PhraseCounts {
  /** Phrases in comments, test names and documents for contributors. */
  phrases: number;
  /** Doc comments that begin with What, Of, The same … */
  openings: number;
}

/** Counts what is not refused yet, so that it only falls. */
export function countPhrases(files: readonly SourceFile[]): PhraseCounts {
  const counts = { phrases: 0, openings: 0 };
  for (const { text } of files) {
    for (const { phrase } of PHRASES) counts.phrases += text.match(new RegExp(phrase, "gi"))?.length ?? 0;
    for (const [, begins = ""] of text.matchAll(/\/\*\*\s+(?:\* )?(.*)/g)) if (OPENING.test(begins)) counts.openings++;
  }
  return counts;
}

/** The ways to give a wait its name, which views put behind "waiting until", and errors behind "Unable to confirm that". */
const TEXT = '(`(?:[^`\\\\]|\\\\.)*`|"[^"]*")';
const NAMED = [
  new RegExp(`\\bname: ${TEXT},\\s*timeoutMs`, "g"),
  new RegExp(`\\bkubernetesCondition\\(\\s*${TEXT}`, "g"),
  new RegExp(`\\bpatiently\\(\\s*c,\\s*${TEXT}`, "g"),
  new RegExp(`^ +until: ${TEXT},$`, "gm"),
];
/** Names that are put together elsewhere: a phrase, or the wait of another function. */
const PASSED_ON = /^`\$\{\w+\} \$\{what\}`$|^`pods of the smoke test \$\{what\}`$/;

const VERB =
  /\b(is|are|has|have|can|may|no longer has|agrees|answers|knows|matches|names?|raises|reaches|reports|runs|says|shows|starts|uses|waits|works)\b/;
const NO_CLAUSE = /^["`](wait|until|to |for |that )/i;

/** Finds names of waits that do not end the sentence "waiting until …". */
export function oddWaits({ path, text }: SourceFile): Violation[] {
  if (isTest(path) || !path.startsWith("src/")) return [];
  return NAMED.flatMap((named) =>
    [...text.matchAll(named)].flatMap(({ 1: name = "", index }) => {
      const plain = name.replaceAll(/\$\{[^}]*\}/g, "X");
      if (PASSED_ON.test(name) || (VERB.test(plain) && !NO_CLAUSE.test(plain))) return [];
      const line = text.slice(0, index).split("\n").length;
      return [{ path, line, message: `a wait is shown as "waiting until ${plain.slice(1, -1)}": write a clause with a verb` }];
    }),
  );
}
