import { setMaxListeners } from "node:events";
import type { ErrorReport } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { EventBus } from "../../engine/bus.ts";
import type { Event } from "../../engine/event.ts";
import { duration } from "../../views/duration.ts";
import { reportView } from "../../views/report-view.ts";
import { type RehearsalWish, rehearse } from "../rehearse.ts";

/** A session of a user with these environment variables, and what it reported. */
export function userSession(env: Readonly<Record<string, string>> = {}) {
  const redactor = new Redactor();
  const world = { ...realWorld(), env: (name: string) => env[name] };
  const bus = new EventBus(world.clock, redactor);
  const events: Event[] = [];
  bus.listen((event) => events.push(event));
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const errors = (): ErrorReport[] => events.flatMap((event) => (event.type === "error" ? [event.error] : []));
  return { session: { world, bus, redactor, signal, mayMutate: () => {} }, events, errors };
}

/** Rehearses an environment; `facts` are those of its report. */
export async function rehearsed(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  wish: Omit<RehearsalWish, "seed"> = {},
) {
  const { session, events, errors } = userSession(env);
  const exitCode = await rehearse(session, folder, { seed: "test", ...wish }, { report: reportView, duration });
  const results = events.flatMap((event) => (event.type === "result" && event.result.kind === "facts" ? [event.result] : []));
  const facts = Object.fromEntries((results.at(-1)?.facts ?? []).map(({ key, value }) => [key, value]));
  return { exitCode, facts, errors: errors() };
}
