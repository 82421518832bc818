import { stageWords, stepWords } from "./describe.ts";
import { duration, limit } from "./duration.ts";
import { errorLines } from "./error.ts";
import { type Line, render } from "./line.ts";
import { code, codeBlock, list, plainText, section, table } from "./markdown.ts";
import { IDLE, stageMark, stepMark } from "./marks.ts";
import { planLines } from "./plan-lines.ts";
import { stageMs, stageState } from "./progress.ts";
import type { RunRecord } from "./report-view.ts";
import { runbookInvocation, runbookOf } from "./runbooks.ts";

/** Shorter waits are not reported. */
const WORTH_TELLING_MS = 1_000;

export function reportText(record: RunRecord): string {
  const heading = record.started?.heading;
  const title = [heading?.environment, record.started?.command].filter((part) => part).join(": ");
  const parts = [
    `# ${plainText(title || "Report")}`,
    overview(record),
    ...section("Errors", errors(record)),
    ...section("Plan", record.plan === undefined ? "" : codeBlock(text(planLines(record.plan)))),
    ...section("Steps", stages(record), steps(record)),
    ...section("Calls that changed something", mutations(record)),
    ...section("Waits", waits(record)),
    ...section("Findings", findings(record)),
    ...section("Notices", list(record.notices.map(({ message, hint }) => withHint(message, hint)))),
    ...section("Files", files(record)),
    ...section("Next commands", record.finished?.next.length ? codeBlock(record.finished.next.join("\n")) : ""),
  ];
  return `${parts.join("\n\n")}\n`;
}

function text(lines: readonly Line[]): string {
  return lines
    .map((row) => render(row, false))
    .join("\n")
    .trimEnd();
}

function overview(record: RunRecord): string {
  const { started, finished } = record;
  const heading = started?.heading;
  const took = finished?.ms ?? Date.parse(record.lastAt) - Date.parse(record.startedAt);
  const outcome = finished === undefined ? "did not end" : [finished.outcome, finished.summary].filter((part) => part).join(": ");
  const rows: [string, string | undefined][] = [
    ["Outcome", outcome],
    ["Run", started?.run],
    ["Started", record.startedAt],
    ["Took", duration(took)],
    ["Platform", heading?.platform],
    ["Talos", heading?.talos],
    ["Kubernetes", heading?.kubernetes],
  ];
  return table(
    ["", ""],
    rows.flatMap(([label, value]) => (value ? [[label, plainText(value)]] : [])),
  );
}

function stages({ progress }: RunRecord): string {
  if (progress.stages.length === 0) return "";
  const rows = progress.stages.map((stage) => {
    const ms = stageMs(stage, 0);
    const mark = stageMark(stageState(stage, progress), IDLE).text;
    return [mark, stage.stage, plainText(stageWords(stage, progress)), ms === undefined ? "" : duration(ms)];
  });
  return table(["", "stage", "", "time"], rows);
}

function steps({ progress }: RunRecord): string {
  const told = [...progress.steps.values()].filter((step) => step.state !== "pending" && step.state !== "unchanged");
  if (told.length === 0) return progress.steps.size === 0 ? "" : "Nothing had to be changed.";
  const rows = told.map((step) => {
    const time = step.ms === undefined || step.state === "blocked" ? "" : duration(step.ms);
    return [stepMark(step.state, IDLE).text, plainText(step.title), plainText(stepWords(step, progress)), time];
  });
  return table(["", "step", "result", "time"], rows);
}

function mutations(record: RunRecord): string {
  const words = (ok: boolean | undefined) => (ok === undefined ? " — no response" : ok ? "" : " — failed");
  return list([...record.mutations.values()].map(({ what, ok }) => `${plainText(what)}${words(ok)}`));
}

function waits(record: RunRecord): string {
  const long = [...record.waits.values()]
    .filter(({ elapsedMs }) => elapsedMs >= WORTH_TELLING_MS)
    .sort((a, b) => b.elapsedMs - a.elapsedMs);
  if (long.length === 0) return "";
  const rows = long.map((wait) => [
    plainText(titleOf(record, wait.step)),
    plainText(wait.condition),
    plainText(wait.reason),
    duration(wait.elapsedMs),
    limit(wait.limitMs),
  ]);
  return table(["step", "waited for", "last reason", "at least", "limit"], rows);
}

function findings(record: RunRecord): string {
  const all = [...record.findings.values()];
  const ok = all.filter(({ level }) => level === "ok").length;
  const noted = all.filter(({ level }) => level !== "ok");
  const rows = noted.map(
    ({ level, code, message, hint, step }) =>
      `**${level}** ${plainText(titleOf(record, step))}: ${withHint(message, hint)}${withRunbook(code)}`,
  );
  return [list(rows), ok === 0 ? "" : `${ok} ok.`].filter((part) => part !== "").join("\n\n");
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? plainText(message) : `${plainText(message)} (${plainText(hint)})`;
}

function withRunbook(of: string): string {
  const page = runbookOf(of);
  return page === undefined ? "" : `; runbook: ${code(runbookInvocation(page))}`;
}

function errors(record: RunRecord): string {
  const once = new Map(record.errors.map((error) => [JSON.stringify(error), error]));
  return [...once.values()].map((error) => codeBlock(text(errorLines(error)))).join("\n\n");
}

/** Lists the files that this run wrote, and its report. */
function files(record: RunRecord): string {
  const written = [...record.progress.steps.values()].filter((step) => step.stage === "generate" && step.state === "changed");
  const folder = record.started?.heading.folder;
  return list([
    ...(folder ? [`${code(folder)} — the environment's folder`] : []),
    ...written.map((step) => `${plainText(step.title)} — ${plainText(stepWords(step, record.progress))} by this run`),
    ...(record.finished?.report ? [`${code(record.finished.report)} — this report, beside every event of the run`] : []),
  ]);
}

function titleOf(record: RunRecord, step: string): string {
  return record.progress.steps.get(step)?.title ?? step;
}
