import { expect, test } from "vitest";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import type { Event } from "./event.ts";
import { openIntents, openJournal, readJournal } from "./journal.ts";

const at = "2026-01-01T00:00:00.000Z";
const intent = (key: string): Event => ({ at, type: "mutation.intent", step: "s", key, what: "put" });
const outcome = (key: string): Event => ({ at, type: "mutation.outcome", step: "s", key, what: "put", ok: true });
const progress: Event = { at, type: "step.progress", step: "s", text: "…" };

function journal() {
  const files = new VolatileFiles();
  files.makeFolder("/run", 0o700);
  files.syncFolder("/");
  return { files, keep: openJournal(files, "/run/events.jsonl") };
}

test("an intent survives a power cut, and so does everything written before it", () => {
  const { files, keep } = journal();
  keep(progress);
  keep(intent("a"));
  keep(progress);
  expect(readJournal(files.afterCrash(), "/run/events.jsonl")).toEqual([progress, intent("a")]);
});

test("a line that a crash cut short is left out", () => {
  const { files, keep } = journal();
  keep(intent("a"));
  files.append("/run/events.jsonl", Buffer.from('{"at":"2026'), 0o600);
  expect(readJournal(files, "/run/events.jsonl")).toEqual([intent("a")]);
});

test("an intent without an outcome is open", () => {
  expect(openIntents([intent("a"), outcome("a"), intent("b"), progress])).toEqual([{ step: "s", key: "b", what: "put" }]);
});

test("a journal that is not there has nothing to say", () => {
  expect(readJournal(new VolatileFiles(), "/none")).toEqual([]);
});
