import type { Event } from "../../src/engine/event.ts";
import { openIntents, readJournal } from "../../src/engine/journal.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import type { Outcome } from "./commands.ts";
import { isLocked, secondHolders } from "./rivals.ts";
import type { Stage } from "./scenario.ts";

/** A moment of a run: the whole datacenter, and the folder as a killed process and as a power cut leave it. */
export interface CrashPoint {
  /** Step kind × mutation × before/after, or what else happened at that moment. */
  label: string;
  lab: string;
  killed: VolatileFiles;
  cut: VolatileFiles;
}

const kindOf = (step: string) => step.split("/")[0];
/** "create machine cp-1" and "create machine worker-2" are the same mutation. */
const mutationOf = (what: string) =>
  what
    .replace(/\b(cp|worker|gpu|vps)-\d+\b/g, "…")
    .replace(/\bVM \d+\b/g, "VM …")
    .replace(/\bpve\d\b/g, "…")
    .replace(/\b(default|kube-system)\/\S+/g, "…")
    .replace(/\bhelm-[a-z-]+-[0-9a-f]{10}\b/g, "helm-…");

function labelOf(event: Event): string {
  if (event.type === "mutation.intent") return `${kindOf(event.step)} × ${mutationOf(event.what)} × before`;
  if (event.type === "mutation.outcome") return `${kindOf(event.step)} × ${mutationOf(event.what)} × after`;
  return `line ${event.type}`;
}

/** Moments that must all be tried: before and after each mutation of a step, and where a call has taken effect and its response is not received. */
export const isChange = (label: string) => / × (before|after|took effect)/.test(label);

/** The smoke test is a check: it creates and removes pods without the journal (ADR 0030). */
const isSmoke = ({ resource }: { resource: string }) => resource.includes("talosmith-smoke");

/** One change of a disk takes several shell commands, whose ends are not reported. */
const isCommand = ({ service }: { service: string }) => service === "rescue" || service === "ssh";

export interface Golden {
  points: CrashPoint[];
  /** Labels of all moments, kept or not. */
  seen: ReadonlySet<string>;
  outcome: Outcome;
  /** Calls that changed something without a durable intent. */
  unannounced: string[];
  /** Moments at which another command could have taken the lock as well, or at which something was changed without it. */
  lockedTwice: string[];
}

/**
 * Runs once, undisturbed, and keeps moments to crash at, a limited number of each kind: journal lines, other file operations, calls that took
 * effect. A snapshot of a whole cluster takes time, and the running command has deadlines.
 */
export async function goldenRun(
  scene: Stage,
  files: VolatileFiles,
  run: () => Promise<Outcome>,
  { each = 1, worth = () => true }: { each?: number; worth?: (label: string) => boolean } = {},
): Promise<Golden> {
  const points: CrashPoint[] = [];
  const unannounced: string[] = [];
  const lockedTwice: string[] = [];
  const times = new Map<string, number>();
  const keep = (label: string) => {
    const before = times.get(label) ?? 0;
    times.set(label, before + 1);
    if (before === 0) lockedTwice.push(...secondHolders(files).map((who) => `at "${label}" ${who}`));
    if (before < each && worth(label))
      points.push({ label, lab: scene.lab.snapshot(), killed: files.afterKill(), cut: files.afterCrash() });
  };
  let journal = "";
  let answered = scene.lab.recorder.calls().at(-1)?.n ?? 0;
  files.onChange = (operation, path) => {
    if (!path.endsWith("/events.jsonl"))
      return void keep(
        `file ${operation} ${path
          .split("/")
          .at(-1)
          ?.replace(/[0-9a-f]{16}|\d{4}-\d\d-\d\dT[\d.-]+|(cp|worker|gpu|vps)-\d+/g, "…")}`,
      );
    journal = path;
    const last = readJournal(files, path).at(-1);
    if (!last) return;
    const durable = last.type === "mutation.intent" || last.type === "mutation.outcome";
    if (operation === "half") keep("half a line of the journal");
    if (operation === "append" && !durable) keep(labelOf(last));
    if (operation === "sync" && durable) keep(labelOf(last));
  };
  scene.onAnswer = () => {
    for (const call of scene.lab.recorder.calls().filter((one) => one.mutating && one.n > answered)) {
      answered = call.n;
      keep(`call ${call.service} ${call.site} × took effect${call.inside ? ", called by a pod" : ""}`);
      if (!call.inside && !isLocked(files)) lockedTwice.push(`${call.site} was called without the lock`);
      if (call.inside || isSmoke(call) || isCommand(call)) continue;
      const announced = readJournal(files.afterCrash(), journal);
      const ours = scene.lab.recorder.calls().filter((one) => one.mutating && !one.inside && !isSmoke(one) && !isCommand(one));
      const calls = ours.filter((one) => one.n <= call.n && one.n > started).length;
      if (announced.filter((event) => event.type === "mutation.intent").length < calls || openIntents(announced).length === 0)
        unannounced.push(call.site);
    }
  };
  const started = answered;
  try {
    return { outcome: await run(), points, seen: new Set(times.keys()), unannounced, lockedTwice };
  } finally {
    files.onChange = undefined;
    scene.onAnswer = undefined;
  }
}
