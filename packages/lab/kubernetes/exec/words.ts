/** Commands connected by pipes. */
export interface Pipeline {
  /** Run when the previous pipeline succeeded, failed, or ended. */
  after: "&&" | "||" | ";";
  commands: Simple[];
}

/** One command, and the files it reads and writes. */
export interface Simple {
  words: Word[];
  to?: { file: Word; append: boolean };
  from?: Word;
}

/** Parts of one word; a part in single quotes is literal. */
export type Word = { text: string; literal: boolean }[];

const OPERATORS = ["&&", "||", ">>", ";", "|", ">", "<", "\n"];

/** Parses the shell syntax that the lab supports: quotes, variables, lists, pipes and redirections. */
export function readScript(script: string): Pipeline[] {
  const pipelines: Pipeline[] = [];
  let pipeline: Pipeline = { after: ";", commands: [] };
  let current: Simple = { words: [] };
  let expects: ((word: Word) => void) | undefined;
  const finishCommand = () => {
    if (current.words.length > 0) pipeline.commands.push(current);
    current = { words: [] };
  };
  const finish = (after: Pipeline["after"]) => {
    finishCommand();
    if (pipeline.commands.length > 0) pipelines.push(pipeline);
    pipeline = { after, commands: [] };
  };
  for (const token of tokensOf(script)) {
    if (typeof token !== "string") {
      if (expects) expects(token);
      else current.words.push(token);
      expects = undefined;
    } else if (token === "|") finishCommand();
    else if (token === ">" || token === ">>") {
      const target = current;
      expects = (file) => {
        target.to = { file, append: token === ">>" };
      };
    } else if (token === "<") {
      const target = current;
      expects = (file) => {
        target.from = file;
      };
    } else finish(token === "&&" || token === "||" ? token : ";");
  }
  finish(";");
  return pipelines;
}

function* tokensOf(script: string): Generator<Word | string> {
  let word: Word | undefined;
  for (let at = 0; at < script.length; ) {
    const rest = script.slice(at);
    const operator = OPERATORS.find((one) => rest.startsWith(one));
    const [quoted] = /^'[^']*'|^"(?:\\.|[^"\\])*"/.exec(rest) ?? [];
    const [escaped] = /^\\[\s\S]/.exec(rest) ?? [];
    const [comment] = word ? [] : (/^#[^\n]*/.exec(rest) ?? []);
    const [plain = rest[0] ?? ""] = /^[^\s'"\\;&|<>]+/.exec(rest) ?? [];
    const taken = operator ?? quoted ?? escaped ?? comment ?? plain;
    at += taken.length;
    if (operator !== undefined || comment !== undefined || /^\s$/.test(taken)) {
      if (word) yield word;
      word = undefined;
      if (operator !== undefined) yield operator;
      continue;
    }
    const inner = quoted?.slice(1, -1) ?? escaped?.slice(1) ?? taken;
    const literal = quoted?.startsWith("'") === true || escaped !== undefined;
    word = [...(word ?? []), { text: quoted?.startsWith('"') ? inner.replace(/\\(["\\$])/g, "$1") : inner, literal }];
  }
  if (word) yield word;
}

/** The word with its variables expanded. */
export function expandWord(word: Word, variables: Readonly<Record<string, string>>): string {
  return word
    .map(({ text, literal }) => (literal ? text : text.replace(/\$\{?(\w+|\?)\}?/g, (_, name: string) => variables[name] ?? "")))
    .join("");
}
