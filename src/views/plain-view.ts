import type { Event } from "../engine/event.ts";
import { counted, stageWords, stepWords, waitWords } from "./describe.ts";
import { duration } from "./duration.ts";
import { type Line, line, render, type Span } from "./line.ts";
import { IDLE, stageMark, stepMark } from "./marks.ts";
import { printable } from "./printable.ts";
import { follow, isOver, newProgress, type RunProgress, type StepProgress, stageMs, stageState } from "./progress.ts";
import type { Terminal } from "./terminal.ts";
import { padEnd } from "./text-width.ts";
import { Transcript } from "./transcript.ts";
import type { View } from "./view.ts";
import { unlistedWaits, waited } from "./wait-lines.ts";
import { waitPace } from "./wait-pace.ts";

/** Prints lines that are never redrawn, for logs and pipes. */
export function plainView(terminal: Terminal, verbose = false): View {
  const run = newProgress();
  const transcript = new Transcript(() => (terminal.isTerminal ? terminal.columns() : undefined), verbose);
  const pace = waitPace();
  const unlisted = unlistedWaits(run);
  const said = new Map<string, string>();
  /** How many steps each failed step blocks. Their lines would bury the error; one line at the end stands for them. */
  const blocked = new Map<string, number>();
  let stagesTold = 0;

  const stepLines = (event: Event): Line[] => {
    if (event.type === "steps" || event.type === "result") {
      stagesTold = 0;
      said.clear();
    }
    // Observations of a plan get no line; its result follows.
    if (!("step" in event) || run.command === "plan") return [];
    const step = run.steps.get(event.step);
    if (step === undefined) return [];
    switch (event.type) {
      case "step.queued":
        return [stepLine(IDLE, step, stepWords(step, run))];
      case "mutation.intent":
        return progressLine(step, event.what);
      case "step.progress":
        return progressLine(step, event.text);
      case "step.waiting":
        return pace(event) ? [stepLine(IDLE, step, `${waitWords(event.condition, event.reason)} (${waited(event)})`)] : [];
      case "step.finished": {
        if (step.state === "blocked") {
          const by = step.blockedBy ?? step.id;
          blocked.set(by, (blocked.get(by) ?? 0) + 1);
          return [];
        }
        const words = step.state === "failed" ? "failed" : stepWords(step, run);
        return step.state === "unchanged" || step.state === "pending"
          ? []
          : [stepLine(stepMark(step.state, IDLE), step, words, step.ms)];
      }
      default:
        return [];
    }
  };

  /** A step's text without percentages, so that progress is printed once. */
  const progressLine = (step: StepProgress, text: string): Line[] => {
    const shape = text.replace(/\d+/g, "0");
    if (text === "" || said.get(step.id) === shape) return [];
    said.set(step.id, shape);
    return [stepLine(IDLE, step, text)];
  };

  /** Prints finished stages in their own order, whichever ends first. */
  const stageLines = (now: number): Line[] => {
    const lines: Line[] = [];
    while (run.command !== "plan" && run.stages[stagesTold]?.steps.every(isOver)) {
      const isBlocked = run.stages[stagesTold]?.steps.every(({ state }) => state === "blocked");
      if (!isBlocked) lines.push(...stageLine(run, stagesTold, now));
      stagesTold++;
    }
    return lines;
  };

  const blockedLines = (): Line[] => {
    const lines = [...blocked].flatMap(([by, count]) => {
      const step = run.steps.get(by);
      return step === undefined ? [] : [stepLine(IDLE, step, `blocks ${counted(count, "step")}`)];
    });
    blocked.clear();
    return lines;
  };

  return {
    event: (raw) => {
      const event = printable(raw);
      const now = Date.parse(event.at) || 0;
      follow(run, event, now);
      const kept = transcript.lines(event);
      const ended = event.type === "run.finished" ? blockedLines() : [];
      const before = [...unlisted(event), ...stepLines(event), ...ended];
      const lines = event.type === "step.finished" ? [...before, ...kept, ...stageLines(now)] : [...before, ...kept];
      if (lines.length > 0) terminal.write(lines.map((row) => `${render(row, false)}\n`).join(""));
    },
    close: () => {},
  };
}

function stepLine(mark: Span, step: StepProgress, words: string, ms?: number): Line {
  const time = ms === undefined ? "" : `   ${duration(ms)}`;
  return line(mark, ` ${padEnd(step.stage, "provision".length)}   ${step.title}: ${words}${time}`);
}

function stageLine(run: RunProgress, index: number, now: number): Line[] {
  const stage = run.stages[index];
  const toldAlready = stage?.steps.length === 1 && stage.steps[0]?.state !== "unchanged";
  if (stage === undefined || toldAlready) return [];
  const ms = stageMs(stage, now);
  const words = `${stageWords(stage, run)}${ms === undefined ? "" : `   ${duration(ms)}`}`;
  return [line(stageMark(stageState(stage, run), IDLE), ` ${padEnd(stage.stage, "provision".length)}   ${words}`)];
}
