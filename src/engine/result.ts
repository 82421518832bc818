import type { Json } from "../lib/json.ts";
import type { Heading } from "./event.ts";
import type { Change, Finding, Stage, StepId } from "./step.ts";

export interface PlannedChange extends Change {
  stage: Stage;
  title: string;
  /** Titles of the steps that must come first because they change too. */
  after: string[];
}

export interface PlanResult {
  kind: "plan";
  heading: Heading;
  changes: PlannedChange[];
  notes: (Finding & { step: StepId })[];
  /** Remote calls it took to find out, and how long. */
  calls: number;
  ms: number;
  next: string[];
}

/** Rows for people and, as they are, for programs. */
export interface TableResult {
  kind: "table";
  name: string;
  columns: { key: string; title: string; align?: "right" }[];
  rows: Record<string, Json>[];
  /** Shown instead of an empty table. */
  empty: string;
  /** Lines below the table. */
  footer?: string[];
}

/** Named values: `lab status`, `lab start`. */
export interface FactsResult {
  kind: "facts";
  name: string;
  title: string;
  facts: { key: string; label: string; value: Json }[];
  next: string[];
}

/** What was looked at and found: `doctor`, `verify`. */
export interface ChecksResult {
  kind: "checks";
  name: string;
  heading: Heading;
  checks: { id: StepId; title: string; findings: Finding[] }[];
  /** Problems and warnings among all findings. */
  problems: number;
  warnings: number;
  ms: number;
  next: string[];
}

/** What a command answers with, besides what it did. */
export type Result = PlanResult | TableResult | FactsResult | ChecksResult;
