import type { Json } from "@talosmith/lib/json.ts";
import type { Session } from "../engine/context.ts";
import type { Event } from "../engine/event.ts";
import { openIntents } from "../engine/journal.ts";
import type { Level } from "../engine/result.ts";
import { environmentFolder } from "../environment/environment.ts";
import { type PastRun, pastRuns } from "../environment/runs.ts";

/** `talosmith runs`: lists the runs from their folders; contacts no server. */
export async function showRuns({ world, bus }: Session, folder: string): Promise<number> {
  const rows = pastRuns(world, environmentFolder(world, folder)).map(rowOf);
  bus.emit({
    type: "result",
    result: {
      kind: "table",
      name: "runs",
      columns: [
        { key: "run", title: "run" },
        { key: "command", title: "command" },
        { key: "outcome", title: "outcome" },
        { key: "changed", title: "changed", align: "right" },
        { key: "summary", title: "summary" },
      ],
      rows,
      empty: `no runs of ${folder} yet`,
      display: { leaveOut: ["changed"], cells: rows.map(({ outcome }) => ({ outcome: LEVELS[outcome] ?? "ok" })) },
    },
  });
  return 0;
}

function find<T extends Event["type"]>(events: readonly Event[], type: T): Extract<Event, { type: T }> | undefined {
  return events.find((event): event is Extract<Event, { type: T }> => event.type === type);
}

const LEVELS: Record<string, Level> = { failed: "fail", interrupted: "warn", "cut off": "warn" };

function rowOf(run: PastRun): Record<string, Json> & { outcome: string } {
  const events = run.events();
  const finished = find(events, "run.finished");
  const open = openIntents(events).map((intent) => intent.what);
  const gap = run.gap();
  const summary = finished?.summary ?? (open.length > 0 ? `unfinished: ${open.join(", ")}` : "");
  return {
    run: run.id,
    command: find(events, "run.started")?.command ?? "",
    outcome: finished?.outcome ?? "cut off",
    changed: events.filter((event) => event.type === "step.finished" && event.outcome === "changed").length,
    summary: [summary, ...(gap === undefined ? [] : [`(${gap})`])].filter(Boolean).join(" "),
  };
}
