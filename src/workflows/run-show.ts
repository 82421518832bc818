import { join } from "node:path";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { nearest } from "../config/nearest.ts";
import type { Session } from "../engine/context.ts";
import type { Event } from "../engine/event.ts";
import type { RunResult } from "../engine/result.ts";
import { environmentFolder } from "../environment/environment.ts";
import { type PastRun, pastRuns } from "../environment/runs.ts";

/** Sums up the events of a run. */
export interface RunSummary {
  event(event: Event): void;
  past(): Omit<RunResult, "run" | "gap" | "files">;
}

export const LAST = "last";
const FILES = ["report.md", "plan.json", "events.jsonl"];

/** `talosmith runs show`: one run from its folder; contacts no server. */
export async function showRun({ world, bus }: Session, folder: string, wanted: string, summary: RunSummary): Promise<number> {
  const run = runNamed(pastRuns(world, environmentFolder(world, folder)), wanted, folder);
  for (const event of run.events()) summary.event(event);
  const gap = run.gap();
  const files = FILES.filter((name) => world.files.stat(join(run.folder, name)) !== undefined);
  const shown = files.map((name) => join(folder, ".talosmith", "runs", run.id, name));
  bus.emit({ type: "result", result: { ...summary.past(), run: run.id, ...(gap !== undefined && { gap }), files: shown } });
  return 0;
}

/** Finds a run by its name, by the beginning of its name, or as the last one. */
function runNamed(runs: readonly PastRun[], wanted: string, folder: string): PastRun {
  const [last] = runs;
  const list = ownCommand("runs", folder);
  if (last === undefined)
    throw userError("RUN_UNKNOWN", { message: `${folder} has no runs yet`, hint: "each up, down and other change makes one" });
  const exact = wanted === LAST ? last : runs.find(({ id }) => id === wanted);
  if (exact) return exact;
  const matching = runs.filter(({ id }) => id.startsWith(wanted));
  const [only, ...others] = matching;
  if (only && others.length === 0) return only;
  if (only)
    throw userError("RUN_UNKNOWN", {
      message: `${matching.length} runs begin with "${wanted}"`,
      detail: matching
        .map(({ id }) => id)
        .slice(0, 5)
        .join("\n"),
      hint: `give more of the name, or "${LAST}" for the latest run`,
    });
  const near = nearest(wanted, [LAST, ...runs.map(({ id }) => id)]);
  throw userError("RUN_UNKNOWN", {
    message: `${folder} has no run "${wanted}"`,
    hint: near === undefined ? `to list them:  ${list}` : `did you mean ${near}?  to list them:  ${list}`,
  });
}
