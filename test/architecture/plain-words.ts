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
