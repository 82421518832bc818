import { expect, test } from "vitest";
import { ManualClock } from "./testing/manual-clock.ts";
import { Screen } from "./testing/screen.ts";
import { event, finished, pipe, planned, started, upStarted } from "./testing/script.ts";
import { chooseView } from "./view.ts";

const machine = planned("provision", "machine cp-1");
const events = [upStarted, event({ type: "steps", steps: [machine] }), started(machine.id), finished(machine.id, "failed", 1)];

function shownOn<T extends Screen | ReturnType<typeof pipe>>(terminal: T, options?: Parameters<typeof chooseView>[2]): T {
  const view = chooseView(terminal, new ManualClock(), options);
  for (const one of events) view.event(one);
  view.close();
  return terminal;
}

test("a terminal is drawn on, a pipe gets lines, --json gets events on either", () => {
  expect(shownOn(new Screen()).raw).toMatch(/\p{Cc}\[\?25l/u);
  expect(shownOn(pipe()).text()).toContain("✗ provision   machine cp-1: failed");
  for (const one of [shownOn(pipe(), { json: true }).text(), shownOn(new Screen(), { json: true }).raw])
    expect(JSON.parse(one.split("\n")[0] ?? "")).toEqual(upStarted);
});

test("a terminal can be asked for lines only", () => {
  expect(shownOn(new Screen(), { plain: true }).raw).not.toMatch(/(?!\n)\p{Cc}/u);
});

test("the user's choice of colour has precedence over the terminal's support", () => {
  expect(shownOn(new Screen(80, 24, true), { colour: false }).colours).toBe(0);
  expect(shownOn(new Screen(80, 24, false), { colour: true }).colours).toBeGreaterThan(0);
});
