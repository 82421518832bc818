import type { ValidationMode } from "./mode.ts";
import type { ConfigDocument } from "./values.ts";

export interface RuleContext {
  mode: ValidationMode;
  warnings: string[];
}

/** The problems of a single document; Go joins several by line breaks. */
export type DocumentRule = (document: ConfigDocument, context: RuleContext) => readonly string[];

/** Declares a rule with its type. */
export function rule(work: DocumentRule): DocumentRule {
  return work;
}
