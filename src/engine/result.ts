import type { ErrorReport } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { Heading, Outcome } from "./event.ts";
import type { Change, Finding, Stage, StepId } from "./step.ts";

export interface PlannedChange extends Change {
  stage: Stage;
  title: string;
  /** Titles of the steps that must come right before because they change too. */
  after: string[];
}

/** Differences between config and running nodes that only an upgrade can apply: other releases, other images. */
export interface PendingUpgrade {
  readonly talos?: OtherRelease;
  readonly kubernetes?: OtherRelease;
  /** Running nodes whose image is not what the config describes. */
  readonly images: readonly OtherImage[];
  /** Addons that are not installed until the nodes have the extensions they need. */
  readonly withheld: readonly string[];
}

export interface OtherRelease {
  /** The version in the config: "v1.14.0". */
  readonly config: string;
  /** The versions that run instead, and on which nodes; oldest first. */
  readonly runs: readonly { readonly version: string; readonly nodes: readonly string[] }[];
  /** Whether some nodes run the configured version. */
  readonly partly?: true;
}

export interface OtherImage {
  readonly node: string;
  /** Extensions the config asks for and the node does not have; empty when the image differs in something else. */
  readonly lacks: readonly string[];
  /** The command that installs them. */
  readonly upgrade: string;
}

export interface PlanResult {
  kind: "plan";
  heading: Heading;
  changes: PlannedChange[];
  notes: (Finding & { step: StepId })[];
  /** Set when nodes run other releases or images than the config says, which `up` does not change; `notes` has it in words. */
  upgrade?: PendingUpgrade;
  /** The number of errors that keep `up` from running it; absent when there are none. */
  problems?: number;
  /** A sentence that says why the environment is not as the config says although nothing is to be changed. */
  unsettled?: string;
  /** The number of remote calls, and the duration. */
  calls: number;
  ms: number;
  next: string[];
}

/** Rows for display, and unchanged for programs. */
export interface TableResult {
  kind: "table";
  name: string;
  columns: { key: string; title: string; align?: "right" }[];
  rows: Record<string, Json>[];
  /** Shown instead of an empty table. */
  empty: string;
  /** Lines below the table. */
  footer?: string[];
  /** For people only: not printed with --json. */
  display?: TableDisplay;
}

export type Level = Finding["level"];

/** The importance of columns, and the cells that need attention. */
export interface TableDisplay {
  /** Keys of columns that a narrow terminal leaves out, the least important first; those with marked cells last. */
  leaveOut?: readonly string[];
  /** Levels of cells by key, for each row; a cell without one is ok. */
  cells?: readonly Readonly<Record<string, Level>>[];
  /** Levels of the footer's lines. */
  footer?: readonly Level[];
}

/** Named values: `lab status`, `lab start`. */
export interface FactsResult {
  kind: "facts";
  name: string;
  title: string;
  facts: { key: string; label: string; value: Json }[];
  next: string[];
  /** For people only, in `display`: the values are text that may be wrapped. */
  wrapped?: true;
  /** For people only, in place of the facts: not printed with --json. */
  display?: readonly (FactsResult | TableResult)[];
}

/** A past run: `runs show`. */
export interface RunResult {
  kind: "run";
  run: string;
  command: string;
  /** Absent when its first event is missing. */
  heading?: Heading;
  startedAt: string;
  ms: number;
  /** "cut off": it has no end. */
  outcome: "ok" | "failed" | "interrupted" | "cut off";
  summary: string;
  planned: readonly PlannedChange[];
  stages: readonly PastStage[];
  /** The steps that changed something, failed, were blocked or did not finish. */
  steps: readonly PastStep[];
  /** Calls without a recorded response. */
  unfinished: readonly string[];
  errors: readonly ErrorReport[];
  /** The reason why events are missing. */
  gap?: string;
  files: readonly string[];
}

export interface PastStage {
  stage: string;
  state: "ok" | "failed" | "interrupted" | "blocked" | "not finished" | "not started";
  /** "2 of 4 machines, 1 failed" */
  result: string;
  /** Absent when it did not start. */
  ms?: number;
}

export interface PastStep {
  step: StepId;
  stage: string;
  title: string;
  outcome: Outcome | "not finished";
  /** "created", "blocked by machine cp-1" */
  result: string;
  ms?: number;
}

/** The checks that ran and their findings: `doctor`, `verify`. */
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

/** The result of a command, besides its changes. */
export type Result = PlanResult | TableResult | FactsResult | ChecksResult | RunResult;
