/** A piece of a word. What was in quotes is neither split nor matched against files. */
export type Part =
  | { is: "text"; text: string; quoted: boolean }
  | { is: "parameter"; name: string; how: string; argument: Word; quoted: boolean }
  | { is: "command"; body: List; quoted: boolean }
  | { is: "arithmetic"; expression: Word; quoted: boolean };

export type Word = readonly Part[];

export type Redirect =
  | { is: "read" | "write" | "append" | "both"; fd: number; path: Word }
  /** n>&m and n<&m; "-" closes. */
  | { is: "duplicate"; fd: number; of: Word }
  /** A here-document. Its text comes after the line it is announced in. */
  | { is: "given"; fd: number; text: Word };

export interface SimpleCommand {
  is: "simple";
  line: number;
  assignments: { name: string; value: Word }[];
  words: Word[];
}

export type Command = (
  | SimpleCommand
  | { is: "group" | "subshell"; body: List }
  | { is: "if"; branches: { test: List; body: List }[]; otherwise?: List }
  | { is: "loop"; until: boolean; test: List; body: List }
  | { is: "for"; name: string; words?: Word[]; body: List }
  | { is: "case"; word: Word; arms: { patterns: Word[]; body: List }[] }
  | { is: "function"; name: string; body: Command }
) & { redirects: Redirect[] };

export interface Pipeline {
  negated: boolean;
  commands: Command[];
}

/** One after the other, as far as `&&` and `||` let it get. */
export interface AndOr {
  first: Pipeline;
  rest: { after: "&&" | "||"; pipeline: Pipeline }[];
  background: boolean;
}

export type List = AndOr[];

/** What a shell cannot make sense of, in its words. */
export class SyntaxProblem extends Error {}
