import { expect, test } from "vitest";
import type { TableResult } from "../engine/result.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { Screen } from "./testing/screen.ts";
import { event, pipe } from "./testing/script.ts";
import { chooseView } from "./view.ts";

const table = (states: string[]): TableResult => ({
  kind: "table",
  name: "machines",
  columns: [
    { key: "name", title: "node" },
    { key: "state", title: "machine" },
  ],
  rows: states.map((state, n) => ({ name: `worker-${n}`, state })),
  empty: "no machines",
  footer: ["kubeconfig is valid for 364 more days"],
});
const look = (states: string[], afterMs = 0) => event({ type: "result", result: table(states) }, afterMs);
const trouble = event({ type: "notice", level: "warn", message: "Unable to reach pve", hint: "check the network" });

function watching(width = 60, height = 20) {
  const screen = new Screen(width, height);
  return { screen, view: chooseView(screen, new ManualClock(), { watchMs: 5_000 }) };
}

test("each look takes the place of the last one", () => {
  const { screen, view } = watching();
  view.event(look(["stopped", "running"]));
  view.event(look(["running"], 5_000));
  view.close();
  expect(screen.lines()).toEqual([
    "20:14:08 UTC · every 5 s · Ctrl-C ends",
    "",
    "node       machine",
    "worker-0   running",
    "",
    "kubeconfig is valid for 364 more days",
  ]);
  expect([screen.wipes, screen.cursorShown, screen.cursor.column]).toEqual([0, true, 0]);
});

test("the error of a look is shown below the last result, until the next one", () => {
  const { screen, view } = watching();
  view.event(look(["running"]));
  view.event(trouble);
  expect(screen.lines().slice(-3)).toEqual(["", "! Unable to reach pve", "  hint: check the network"]);
  view.event(look(["running"], 10_000));
  expect(screen.text()).not.toContain("Unable");
});

test("whatever the size, the picture stays within it", () => {
  for (let width = 4; width < 70; width += 3)
    for (let height = 2; height < 14; height++) {
      const { screen, view } = watching(width, height);
      view.event(look(Array.from({ length: 9 }, () => "running")));
      view.event(trouble);
      view.event(look(Array.from({ length: 9 }, () => "stopped")));
      view.close();
      expect([width, height, screen.overshoots]).toEqual([width, height, 0]);
      expect(screen.lines().length).toBeLessThan(height + 1);
    }
});

test("in a pipe each look follows the last one, with its time", () => {
  const terminal = pipe();
  const view = chooseView(terminal, new ManualClock(), { watchMs: 5_000 });
  view.event(look(["running"]));
  view.event(look(["stopped"], 5_000));
  expect(
    terminal
      .text()
      .split("\n")
      .filter((row) => /^(\d{4}|worker)/.test(row)),
  ).toEqual(["2026-11-15T20:14:03.000Z", "worker-0   running", "2026-11-15T20:14:08.000Z", "worker-0   stopped"]);
});

test("with --json each look is one line", () => {
  const terminal = pipe();
  const view = chooseView(terminal, new ManualClock(), { watchMs: 5_000, json: true });
  view.event(look(["running"]));
  view.event(look(["stopped"], 5_000));
  const states = terminal
    .text()
    .trim()
    .split("\n")
    .map((row) => JSON.parse(row).result.rows[0].state);
  expect(states).toEqual(["running", "stopped"]);
});
