import type { ErrorReport } from "@talosmith/lib/errors.ts";
import fc from "fast-check";
import type { Event, EventBody, Outcome, PlannedStep } from "../../engine/event.ts";
import type { Result } from "../../engine/result.ts";
import type { Change, Finding, Verb } from "../../engine/step.ts";
import { event, HEADING } from "./script.ts";

const STAGES = ["preflight", "image", "generate", "provision", "bootstrap", "addons", "verify"];
const ESC = String.fromCharCode(27);

/** Text as machines send it: mostly words, sometimes controls, colours, wide, joined or broken symbols. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  fc.constantFrom(
    `${ESC}[2J${ESC}[31mred`,
    "two\r\nlines\tand a tab",
    "機械の名前がとても長い場合",
    "e\u0301 👩‍👩‍👧 ❤️",
    "\u202eabc",
    "\u2028x",
  ),
);
const ms = fc.integer({ min: 0, max: 10_000_000 });
const where = fc.record({ file: text, line: fc.nat(999), column: fc.nat(99), frame: text });
const leafError = fc.record(
  { kind: fc.constantFrom("user", "remote", "internal"), code: text, message: text, detail: text, hint: text, where },
  { requiredKeys: ["kind", "code", "message"] },
);
const error: fc.Arbitrary<ErrorReport> = fc.oneof(
  leafError,
  fc.tuple(leafError, fc.array(leafError, { maxLength: 3 })).map(([outer, problems]) => ({ ...outer, problems })),
) as fc.Arbitrary<ErrorReport>;
const finding = fc.record(
  { level: fc.constantFrom("ok", "warn", "fail"), code: text, message: text, hint: text },
  { requiredKeys: ["level", "code", "message"] },
) as fc.Arbitrary<Finding>;
const json = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.record({ a: text }),
);
const known = fc.oneof(json, fc.record({ later: text }));
const field = fc.record(
  { path: text, from: known, to: known, secret: fc.constant(true as const) },
  { requiredKeys: ["path", "from", "to"] },
);
const verb = fc.constantFrom<Verb>("create", "update", "restart", "replace", "delete", "run");
const deletion = fc.record(
  {
    node: text,
    slot: text,
    volume: text,
    bytes: fc.nat(),
    foreign: fc.record({ host: text, move: fc.array(text, { maxLength: 2 }) }),
  },
  { requiredKeys: ["node", "slot", "volume"] },
);
const change = fc.record(
  {
    id: text,
    step: text,
    verb,
    subject: text,
    fields: fc.array(field, { maxLength: 4 }),
    needsConsent: text,
    deletes: fc.array(deletion, { maxLength: 3 }),
    typed: fc.record({ name: text, why: text, instead: text }),
  },
  { requiredKeys: ["id", "step", "verb", "subject", "fields"] },
) as fc.Arbitrary<Change>;

const tableResult = fc
  .record({
    rows: fc.array(fc.record({ a: json, b: json }), { maxLength: 4 }),
    title: text,
    empty: text,
    footer: fc.array(text, { maxLength: 2 }),
  })
  .map(({ rows, title, ...rest }) => {
    const columns = [
      { key: "a", title },
      { key: "b", title: "b", align: "right" as const },
    ];
    return { kind: "table" as const, name: "t", columns, rows, ...rest };
  });
const factsResult = fc.record({
  kind: fc.constant("facts" as const),
  name: text,
  title: text,
  facts: fc.array(fc.record({ key: text, label: text, value: json }), { maxLength: 4 }),
  next: fc.array(text, { maxLength: 2 }),
});
const plannedChange = fc
  .record({ change, stage: fc.constantFrom(...STAGES), title: text, after: fc.array(text, { maxLength: 5 }) })
  .map(({ change, ...rest }) => ({ ...change, ...rest }));
const planResult = fc.record({
  kind: fc.constant("plan" as const),
  heading: fc.constant(HEADING),
  changes: fc.array(plannedChange, { maxLength: 6 }),
  notes: fc.array(
    finding.map((note) => ({ ...note, step: "x" })),
    { maxLength: 2 },
  ),
  calls: fc.nat(99),
  ms,
  next: fc.array(text, { maxLength: 2 }),
});
const result = fc.oneof(tableResult, factsResult, planResult) as fc.Arbitrary<Result>;

const aside: fc.Arbitrary<EventBody> = fc.oneof(
  fc.record({
    type: fc.constant("notice" as const),
    level: fc.constantFrom("info" as const, "warn" as const),
    message: text,
    hint: text,
  }),
  fc.record({ type: fc.constant("error" as const), error }),
  fc.record({ type: fc.constant("result" as const), result }),
);

function stepLife(planned: PlannedStep, all: readonly PlannedStep[]): fc.Arbitrary<EventBody[]> {
  const step = planned.id;
  const middle: fc.Arbitrary<EventBody> = fc.oneof(
    text.map((said) => ({ type: "step.progress" as const, step, text: said })),
    text.map((lane) => ({ type: "step.queued" as const, step, lane })),
    fc.tuple(text, text, ms, ms).map(([condition, reason, elapsedMs, limitMs]) => {
      return { type: "step.waiting" as const, step, condition, reason, elapsedMs, limitMs };
    }),
    finding.map((found) => ({ type: "step.finding" as const, step, finding: found })),
    text.map((what) => ({ type: "mutation.intent" as const, step, key: what, what })),
    fc.tuple(text, fc.boolean()).map(([what, ok]) => ({ type: "mutation.outcome" as const, step, key: what, what, ok })),
  );
  const end: fc.Arbitrary<EventBody> = fc
    .record({
      outcome: fc.constantFrom<Outcome>("changed", "unchanged", "failed", "interrupted"),
      changes: fc.array(change, { maxLength: 2 }),
      ms,
      error,
    })
    .map(({ error, ...rest }) => ({ type: "step.finished", step, ...rest, ...(rest.outcome === "failed" && { error }) }));
  const blocked: fc.Arbitrary<EventBody[]> = fc
    .constantFrom(...all)
    .map((by) => [{ type: "step.finished", step, outcome: "blocked", changes: [], ms: 0, blockedBy: by.id }]);
  const whole = fc
    .tuple(fc.array(middle, { maxLength: 5 }), fc.option(end))
    .map(([body, last]) => [{ type: "step.started" as const, step }, ...body, ...(last === null ? [] : [last])]);
  return fc.oneof({ weight: 5, arbitrary: whole }, blocked);
}

const plannedSteps = fc.uniqueArray(
  fc.record({
    id: text,
    stage: fc.constantFrom(...STAGES),
    title: text,
    kind: fc.constantFrom("step" as const, "check" as const),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 14 },
);

/** A run whose steps keep their own order and otherwise go on at the same time, with asides anywhere. */
export const anyRun: fc.Arbitrary<Event[]> = plannedSteps.chain((steps) =>
  fc
    .record({
      command: fc.constantFrom("up", "plan", "doctor", "down"),
      lives: fc.tuple(...steps.map((step) => stepLife(step, steps))),
      asides: fc.array(aside, { maxLength: 4 }),
      order: fc.array(fc.nat(99), { maxLength: 100 }),
      ending: fc.option(
        fc.record({
          outcome: fc.constantFrom("ok" as const, "failed" as const, "interrupted" as const),
          summary: text,
          next: fc.array(text),
        }),
      ),
    })
    .map(({ command, lives, asides, order, ending }) => {
      const queues: EventBody[][] = [...lives.map((life) => [...life]), ...asides.map((one) => [one])];
      const bodies: EventBody[] = [
        { type: "run.started", run: "r", command, heading: HEADING },
        { type: "steps", steps },
      ];
      for (let turn = 0; ; turn++) {
        const open = queues.filter((queue) => queue.length > 0);
        const next = open[(order[turn] ?? 0) % open.length]?.shift();
        if (next === undefined) break;
        bodies.push(next);
      }
      if (ending !== null) bodies.push({ type: "run.finished", run: "r", exitCode: 0, ms: 1, ...ending });
      return bodies.map((body, index) => event(body, index * 70));
    }),
);
