import { remoteError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { steadyClock } from "@talosmith/lib/world/steady-clock.ts";
import { expect, test } from "vitest";
import { EventBus } from "./bus.ts";
import type { Event } from "./event.ts";

const TOKEN = "root@pam!talosmith=7c1f9a52-3b0e-4d86-a1f4-5e2b8c9d0e1f";

test("the event bus redacts secrets in errors, findings and changes for every listener", () => {
  const redactor = new Redactor();
  redactor.learn(TOKEN);
  const bus = new EventBus(steadyClock(), redactor);
  const heard: Event[] = [];
  bus.keep((event) => heard.push(event));
  bus.listen((event) => heard.push(event));
  const quoted = `you sent ${TOKEN} and ${Buffer.from(`x ${TOKEN}`).toString("base64")}`;
  bus.emit({ type: "error", error: remoteError("REFUSED", { message: quoted, detail: quoted, hint: quoted }).report() });
  bus.emit({ type: "step.progress", step: quoted, text: quoted });
  bus.emit({ type: "mutation.intent", step: "a", key: quoted, what: quoted, hint: { [quoted]: [quoted] } });
  expect(heard).toHaveLength(6);
  const text = JSON.stringify(heard);
  expect(text).toContain("you sent (secret) and ");
  expect(text).not.toMatch(/7c1f9a52|3b0e-4d86|N2MxZjlhNTI|djMWY5YTUy|3YzFmOWE1M/);
});

test("the journal gets each event before any view, with its time", () => {
  const bus = new EventBus({ ...steadyClock(), now: () => Date.UTC(2026, 0, 2, 3, 4, 5) }, new Redactor());
  const heard: [string, Event][] = [];
  for (const view of ["terminal", "log"]) bus.listen((event) => heard.push([view, event]));
  bus.keep((event) => heard.push(["journal", event]));
  bus.emit({ type: "step.started", step: "a" });
  const event = { type: "step.started", step: "a", at: "2026-01-02T03:04:05.000Z" };
  expect(heard).toEqual([
    ["journal", event],
    ["terminal", event],
    ["log", event],
  ]);
});

test("an event that the journal refuses reaches no view", () => {
  const bus = new EventBus(steadyClock(), new Redactor());
  const heard: Event[] = [];
  bus.listen((event) => heard.push(event));
  bus.keep(() => {
    throw new Error("no space left on device");
  });
  expect(() => bus.emit({ type: "step.started", step: "a" })).toThrow("no space left");
  expect(heard).toEqual([]);
});
