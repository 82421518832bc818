import type { ErrorReport } from "@talosmith/lib/errors.ts";
import type { Event } from "../engine/event.ts";
import type { Finding, StepId } from "../engine/step.ts";
import { endingLines } from "./ending-lines.ts";
import { errorLines } from "./error.ts";
import { findingLines } from "./finding-lines.ts";
import { EDGE } from "./frame.ts";
import { runHeading } from "./heading-line.ts";
import { hintLines } from "./hint-lines.ts";
import { type Line, line } from "./line.ts";
import { IDLE, WARN } from "./marks.ts";
import { resultLines } from "./result-lines.ts";

type Noted = Finding & { step: StepId };

/**
 * Makes the lasting lines of events, for a terminal and for a log: headings, notices, findings, errors, results, the end.
 * Each is printed once, although a plan's notes repeat findings and a run's error repeats its steps' errors.
 */
export class Transcript {
  readonly #columns: () => number | undefined;
  readonly #verbose: boolean;
  readonly #said = new Set<string>();
  #command = "";
  #onlyChecks = false;
  #held: Noted[] = [];
  /** Lines of failed findings, by their step. */
  readonly #failures = new Map<StepId, string[]>();
  /** Set by a result without later events: then no summary is printed. */
  #answered = false;

  /** `columns` of the terminal, or undefined when nothing may be cut. */
  constructor(columns: () => number | undefined, verbose = false) {
    this.#columns = columns;
    this.#verbose = verbose;
  }

  lines(event: Event): Line[] {
    if ("step" in event) this.#answered = false;
    switch (event.type) {
      case "run.started":
        this.#command = event.command;
        // A plan has its own heading.
        return event.command === "plan" ? [] : [runHeading(event.heading, event.command, event.run)];
      case "steps":
        this.#onlyChecks = event.steps.every((step) => step.kind === "check");
        return [];
      case "step.finding":
        return this.#finding({ ...event.finding, step: event.step });
      case "step.finished":
        return event.error === undefined || this.#toldByFindings(event.step, event.error) ? [] : this.#error(event.error);
      case "error":
        return this.#error(event.error);
      case "notice":
        return [
          line(event.level === "warn" ? WARN : IDLE, ` ${event.message}`),
          ...(event.hint === undefined ? [] : hintLines(event.hint, "  ")),
        ];
      case "result": {
        const before = event.result.kind === "plan" ? this.#heldBesides(event.result.notes) : [];
        this.#answered = event.result.kind !== "plan" || this.#command === "plan";
        return [...before, ...resultLines(event.result, { columns: this.#columns(), verbose: this.#verbose })];
      }
      case "run.finished": {
        const held = this.#heldBesides([]);
        if (this.#answered && event.outcome === "ok") return held;
        return [...held, ...endingLines(event, Math.min(EDGE, this.#columns() ?? EDGE))];
      }
      default:
        return [];
    }
  }

  #finding(finding: Noted): Line[] {
    if (finding.level === "ok" && !this.#onlyChecks) return [];
    if (!this.#firstTime(spelling(finding))) return [];
    if (finding.level === "fail")
      this.#failures.set(finding.step, [...(this.#failures.get(finding.step) ?? []), ...finding.message.split("\n")]);
    // The plan will show it among its notes.
    if (this.#command !== "plan" || this.#onlyChecks) return findingLines(finding);
    this.#held.push(finding);
    return [];
  }

  #heldBesides(notes: readonly Noted[]): Line[] {
    const noted = new Set(notes.map(spelling));
    for (const spelled of noted) this.#said.add(spelled);
    const missing = this.#held.filter((finding) => !noted.has(spelling(finding)));
    this.#held = [];
    return missing.flatMap(findingLines);
  }

  /** Whether an error repeats the findings of a failed check, which are printed already. */
  #toldByFindings(step: StepId, error: ErrorReport): boolean {
    const told = this.#failures.get(step);
    if (told === undefined || this.#held.length > 0 || error.detail === undefined || error.problems !== undefined) return false;
    if (!error.detail.split("\n").every((row) => told.includes(row))) return false;
    this.#said.add(JSON.stringify(error));
    return true;
  }

  #error(error: ErrorReport): Line[] {
    if (!this.#firstTime(JSON.stringify(error))) return [];
    const problems = (error.problems ?? []).filter((problem) => this.#firstTime(JSON.stringify(problem)));
    return [...errorLines({ ...error, problems }), ...(problems.length > 0 ? [] : [line()])];
  }

  #firstTime(spelled: string): boolean {
    if (this.#said.has(spelled)) return false;
    this.#said.add(spelled);
    return true;
  }
}

function spelling(finding: Noted): string {
  return JSON.stringify([finding.step, finding.code, finding.message]);
}
