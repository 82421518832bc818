import type { ValidationMode } from "./mode.ts";
import type { ConfigDocument } from "./values.ts";

export interface RuleContext {
  mode: ValidationMode;
  warnings: string[];
}

/** What is wrong with a document taken alone; Go joins several by lines. */
export type DocumentRule = (document: ConfigDocument, context: RuleContext) => readonly string[];

/** Gives a rule its type where it is written. */
export function rule(work: DocumentRule): DocumentRule {
  return work;
}
