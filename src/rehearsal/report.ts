import type { Json } from "@talosmith/lib/json.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { FactsResult, Level, TableResult } from "../engine/result.ts";
import { criticalPath } from "./critical-path.ts";
import type { PlannedFault } from "./faults.ts";
import type { Phase } from "./phase.ts";

export interface Played {
  cluster: string;
  folder: string;
  phases: readonly Phase[];
  /** Connections that were refused because they lead out of the lab. */
  refused: readonly string[];
  /** Faults that were met, with --faults. */
  faults?: readonly PlannedFault[];
  /** Real time of the whole rehearsal. */
  realMs: number;
}

/** Writes a time for people: "2 min 10 s". */
export type Duration = (ms: number) => string;

/** A refusal, and a run that a fault stopped, are followed by a run that has to pass. */
export const hasPassed = ({ verdict }: Phase) => verdict !== "failed";

/** The report of a rehearsal: for people as tables, for programs as facts. */
export function rehearsalResult(played: Played, duration: Duration): FactsResult {
  const { cluster, folder, phases, refused, faults, realMs } = played;
  const passed = phases.every(hasPassed);
  const path = criticalPath(phases[0]?.steps ?? []).map(({ title, from, until }) => ({
    step: title,
    ms: Math.round(until - from),
  }));
  const facts = [
    { key: "passed", label: "passed", value: passed },
    { key: "phases", label: "phases", value: phases.map(phaseFacts) },
    { key: "criticalPath", label: "critical path", value: path },
    ...(faults ? [{ key: "faults", label: "faults", value: faults.map((one) => ({ ...one })) }] : []),
    { key: "refusedConnections", label: "refused connections", value: [...refused] },
    { key: "realMs", label: "real time", value: Math.round(realMs) },
  ];
  const heading: FactsResult = {
    kind: "facts",
    name: "rehearsal",
    title: passed ? `the rehearsal of ${cluster} passed` : `the rehearsal of ${cluster} failed`,
    facts: [
      { key: "folder", label: "environment", value: `${folder}, unchanged` },
      { key: "time", label: "time", value: `${duration(sum(phases))} on the lab's clock, ${duration(realMs)} on yours` },
      ...(refused.length === 0 ? [] : [{ key: "refused", label: "refused", value: `connections to ${refused.join(", ")}` }]),
    ],
    next: [],
  };
  const next = passed ? [ownCommand("doctor", folder)] : [];
  const display = [heading, phaseTable(phases, duration), pathTable(path, duration, next)];
  return { kind: "facts", name: "rehearsal", title: heading.title, facts, next, display };
}

const sum = (phases: readonly Phase[]) => phases.reduce((total, { ms }) => total + ms, 0);

function phaseFacts(phase: Phase): Json {
  const { name, verdict, ms, summary, remark, errors } = phase;
  const problems = errors.map(({ code, message }) => ({ code, message }));
  return { name, verdict, ms, summary, ...(remark !== undefined && { remark }), errors: problems };
}

function phaseTable(phases: readonly Phase[], duration: Duration): TableResult {
  return {
    kind: "table",
    name: "phases",
    columns: [
      { key: "name", title: "phase" },
      { key: "result", title: "result" },
      { key: "time", title: "time", align: "right" },
      { key: "what", title: "what" },
    ],
    rows: phases.map((phase) => ({
      name: phase.name,
      result: phase.verdict,
      time: duration(phase.ms),
      what: outcomeWords(phase),
    })),
    empty: "",
    display: {
      leaveOut: ["what"],
      cells: phases.map(
        ({ verdict }): Readonly<Record<string, Level>> => (verdict === "passed" ? {} : { result: LEVELS[verdict] }),
      ),
    },
  };
}

const LEVELS = { failed: "fail", refused: "warn", stopped: "warn" } as const;

/** The first sentence of what a command said at its end, or its first problem. */
function outcomeWords(phase: Phase): string {
  const { summary, errors, checks, plan, remark } = phase;
  const [first] = errors;
  if (remark !== undefined) return remark;
  if (phase.verdict !== "passed" && first) return `${first.message}${errors.length > 1 ? `, and ${errors.length - 1} more` : ""}`;
  if (checks) return `${checks.checks.length} checks: ${checks.problems} problems, ${checks.warnings} warnings`;
  if (summary !== "") return summary.split(/\n|\. /)[0] ?? "";
  return plan ? `${plan.changes.length} changes` : "";
}

function pathTable(path: readonly { step: string; ms: number }[], duration: Duration, next: readonly string[]): TableResult {
  return {
    kind: "table",
    name: "criticalPath",
    columns: [
      { key: "step", title: "critical path of up" },
      { key: "time", title: "time", align: "right" },
    ],
    rows: path.map(({ step, ms }) => ({ step, time: duration(ms) })),
    empty: "",
    ...(next.length > 0 && { footer: [`Next: ${next.join(", ")}`] }),
  };
}
