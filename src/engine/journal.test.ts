import fc from "fast-check";
import { expect, test } from "vitest";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import type { Event } from "./event.ts";
import { lookIntoJournal, openIntents, openJournal, readJournal } from "./journal.ts";

const PATH = "/run/events.jsonl";
const at = "2026-01-01T00:00:00.000Z";
const intent = (key: string): Event => ({ at, type: "mutation.intent", step: "s", key, what: "put" });
const outcome = (key: string): Event => ({ at, type: "mutation.outcome", step: "s", key, what: "put", ok: true });
const progress: Event = { at, type: "step.progress", step: "s", text: "…" };

const line = (event: unknown) => `${JSON.stringify(event)}\n`;

function journal() {
  const files = new VolatileFiles();
  files.makeFolder("/run", 0o700);
  files.syncFolder("/");
  return { files, keep: openJournal(files, PATH) };
}

test("an intent survives a power cut, and so does everything written before it", () => {
  const { files, keep } = journal();
  keep(progress);
  keep(intent("a"));
  keep(progress);
  expect(readJournal(files.afterCrash(), PATH)).toEqual([progress, intent("a")]);
});

const end: Event = { at, type: "run.finished", run: "r", outcome: "ok", exitCode: 0, ms: 1, summary: "", next: [] };

test.each([["an outcome", outcome("a")] as const, ["the end of a run", end] as const])("%s survives a power cut", (_, event) => {
  const { files, keep } = journal();
  keep(event);
  expect(readJournal(files.afterCrash(), PATH)).toEqual([event]);
});

test("a line that a crash cut short is left out and not counted as damage", () => {
  const { files, keep } = journal();
  keep(intent("a"));
  files.append("/run/events.jsonl", Buffer.from('{"at":"2026'), 0o600);
  expect(lookIntoJournal(files, PATH)).toEqual({ events: [intent("a")], unreadable: 0 });
});

test("a journal holds one event a line and nothing else, readable by its owner alone", () => {
  const { files, keep } = journal();
  for (const event of [progress, intent("a"), progress]) keep(event);
  expect(Buffer.from(files.read(PATH) ?? []).toString()).toBe([progress, intent("a"), progress].map(line).join(""));
  expect(files.stat(PATH)?.mode).toBe(0o600);
});

test("an event about the past waits for no disk", () => {
  const { files, keep } = journal();
  keep(progress);
  expect(readJournal(files.afterCrash(), PATH)).toEqual([]);
});

/** A journal on a disk that is full from now on, and the errors that it reported. */
function fullDisk() {
  const { files } = journal();
  const losses: unknown[] = [];
  const keep = openJournal(files, PATH, (error) => losses.push(error));
  const full = new Error("no space left on device");
  files.append = () => {
    throw full;
  };
  return { keep, losses, full };
}

test("events that are lost are reported once, and work goes on", () => {
  const { keep, losses, full } = fullDisk();
  for (const event of [progress, outcome("a"), progress]) keep(event);
  expect(losses).toEqual([full]);
});

test("an intent that cannot be written is an error each time", () => {
  const { keep, losses, full } = fullDisk();
  keep(progress);
  for (const key of ["a", "b"]) expect(() => keep(intent(key))).toThrow(full);
  expect(losses).toEqual([full]);
});

test("the loss of events is no error when there is no listener for it", () => {
  const { files, keep } = journal();
  files.append = () => {
    throw new Error("no space left on device");
  };
  expect(() => keep(progress)).not.toThrow();
});

test("a mutation that was done twice is open when its second outcome is missing", () => {
  expect(openIntents([intent("a"), outcome("a"), intent("a")])).toHaveLength(1);
});

test.each(["step", "key", "what"] as const)("an outcome with another %s does not close an intent", (part) => {
  expect(openIntents([intent("a"), { ...outcome("a"), [part]: "other" } as Event])).toHaveLength(1);
});

test("an intent without an outcome is open", () => {
  expect(openIntents([intent("a"), outcome("a"), intent("b"), progress])).toEqual([{ step: "s", key: "b", what: "put" }]);
});

test("a missing journal has no events", () => {
  expect(readJournal(new VolatileFiles(), "/none")).toEqual([]);
});

function damaged(...lines: (string | Buffer)[]) {
  const files = new VolatileFiles();
  files.makeFolder("/run", 0o700);
  files.write(PATH, Buffer.concat(lines.map((line) => Buffer.from(line as string))), 0o600);
  return lookIntoJournal(files, PATH);
}

test.each<[string, string | Buffer]>([
  ["a block of zeros", Buffer.concat([Buffer.alloc(4096), Buffer.from("\n")])],
  ["zeros and the rest of a line", Buffer.concat([Buffer.alloc(100), Buffer.from(line(outcome("a")).slice(20))])],
  ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x80, 0x0a])],
  ["a line cut short, and another run's line after it", '{"at":"2026\n'],
  ["JSON that is no event", "[1, 2]\n"],
  ["nothing in particular", "null\n"],
  ["text", '"step.progress"\n'],
  ["an event without a type", '{"at":"2026"}\n'],
  ["an intent without a step", '{"type":"mutation.intent","key":"vm 100","what":"create"}\n'],
  ["an intent without a key", '{"type":"mutation.intent","step":"s","what":"create"}\n'],
  ["an outcome without its action", '{"type":"mutation.outcome","step":"s","key":"vm 100"}\n'],
  ["a line longer than any that is written", Buffer.concat([Buffer.alloc(17 * 1024 * 1024, 0x78), Buffer.from("\n")])],
])("%s in the middle costs that line, is counted, and what comes after it is read", (_, garbage) => {
  expect(damaged(line(intent("a")), garbage, line(progress))).toEqual({ events: [intent("a"), progress], unreadable: 1 });
});

test("an empty first line, as a disk that was full for a moment leaves it, is passed over", () => {
  expect(damaged("\n", line(intent("a")), line(progress))).toEqual({ events: [intent("a"), progress], unreadable: 0 });
});

const MIB = 1024 ** 2;

test.each([
  [16 * MIB, 0],
  [16 * MIB + 1, 1],
])("an event of %i bytes makes %i lines unreadable: longer ones than 16 MiB are damage", (bytes, unreadable) => {
  const text = "x".repeat(bytes - JSON.stringify({ ...progress, text: "" }).length);
  const { events, ...rest } = damaged(line({ ...progress, text }), line(intent("a")));
  expect(rest).toEqual({ unreadable });
  expect(events).toHaveLength(2 - unreadable);
});

test.each([
  [512 * MIB, { events: [progress], unreadable: 0 }],
  [512 * MIB + 1, { events: [], unreadable: 1 }],
])("of a journal of %i bytes at most 512 MiB are loaded into memory", (size, expected) => {
  const { files, keep } = journal();
  keep(progress);
  files.stat = () => ({ kind: "file", size, mode: 0o600, modifiedMs: 0 });
  expect(lookIntoJournal(files, PATH)).toEqual(expected);
});

test("an event of an unknown type is kept and ignored", () => {
  const future = { at, type: "node.dreams", of: "sheep" };
  const { events, unreadable } = damaged(line(intent("a")), line(future), line(outcome("a")));
  expect({ events, unreadable }).toEqual({ events: [intent("a"), future, outcome("a")], unreadable: 0 });
  expect(openIntents(events)).toEqual([]);
});

test("whatever is written over a part of a journal, reading it ends, and lines outside of that part are read", () => {
  const whole = [intent("a"), progress, outcome("a"), intent("b"), progress].map(line);
  const bytes = Buffer.from(whole.join(""));
  fc.assert(
    fc.property(fc.nat(bytes.length), fc.uint8Array({ maxLength: 200 }), (start, garbage) => {
      const end = Math.min(bytes.length, start + garbage.length);
      const text = Buffer.concat([bytes.subarray(0, start), garbage.subarray(0, end - start), bytes.subarray(end)]);
      const { events } = damaged(text);
      let place = 0;
      for (const one of whole) {
        const [from, to] = [place, place + Buffer.byteLength(one)];
        place = to;
        // A line is its own only when the end of the one before it is whole, too.
        if (to <= start || from - 1 >= end) expect(events).toContainEqual(JSON.parse(one));
      }
      openIntents(events);
    }),
    { numRuns: 300 },
  );
});
