import { Composer, type Document, type YAMLError } from "yaml";
import { buildTree } from "./build-tree.ts";
import { type Place, position, type Source } from "./source.ts";
import { syntaxFault } from "./syntax.ts";
import { firstUnclosed, tokensOf } from "./tokens.ts";
import type { Tree } from "./tree.ts";

export interface YamlProblem {
  at: Place;
  message: string;
  hint: string;
  remark?: string;
}

export interface Parsed {
  /** Absent when the text is empty or not a single YAML document. */
  tree?: Tree;
  problems: YamlProblem[];
}

/** After the first mistakes, most of a parser's errors are consequences. */
const MOST_SYNTAX_PROBLEMS = 3;

export function parseYaml(source: Source): Parsed {
  const { documents, problems } = readDocuments(source);
  return problems.length > 0 ? { problems } : oneDocument(source, documents);
}

/** Parses a file that may hold several documents; empty ones are left out. */
export function parseYamlDocuments(source: Source): { trees: Tree[]; problems: YamlProblem[] } {
  const { documents, problems } = readDocuments(source);
  if (problems.length > 0) return { trees: [], problems };
  const parsed = documents.flatMap(({ contents }) => (contents === null ? [] : [buildTree(source, contents)]));
  const written = ({ at }: Tree) => at.start < at.end;
  const trees = parsed.flatMap(({ tree }) => (tree !== undefined && written(tree) ? [tree] : []));
  return { trees, problems: parsed.flatMap((one) => one.problems) };
}

function readDocuments(source: Source): { documents: Document.Parsed[]; problems: YamlProblem[] } {
  const tokens = tokensOf(source.text);
  if ("message" in tokens) {
    const { start, message, hint } = tokens;
    return { documents: [], problems: [{ at: { source, start, end: start + 1 }, message, hint }] };
  }
  const documents = [...new Composer({ uniqueKeys: false, version: "1.2" }).compose(tokens)];
  const problems = documents.flatMap((document) => syntaxProblems(source, document)).slice(0, MOST_SYNTAX_PROBLEMS);
  const open = problems.length > 0 ? firstUnclosed(tokens) : undefined;
  // The parser notices an unclosed bracket or quote at the end of the file, and reports everything in between.
  if (open !== undefined)
    return { documents, problems: [{ at: { source, start: open.start, end: open.start + 1 }, ...open.fault }] };
  return { documents, problems };
}

function oneDocument(source: Source, documents: Document.Parsed[]): Parsed {
  const [first, second] = documents;
  if (second !== undefined) {
    const start = second.contents?.range[0] ?? second.range[0];
    const at = { source, start, end: second.contents?.range[1] ?? start };
    const message = "a second YAML document begins here";
    return { problems: [{ at, message, hint: "remove the line --- above it: one file holds one document" }] };
  }
  return first?.contents === undefined || first.contents === null ? { problems: [] } : buildTree(source, first.contents);
}

function syntaxProblems(source: Source, document: Document.Parsed): YamlProblem[] {
  const lines = new Set<number>();
  const first = (fault: YAMLError) => {
    const { line } = position(source, fault.pos[0]);
    return !lines.has(line) && lines.add(line);
  };
  return [...document.errors, ...document.warnings]
    .filter(first)
    .map((fault) => ({ at: { source, start: fault.pos[0], end: fault.pos[1] }, ...syntaxFault(fault.code) }));
}
