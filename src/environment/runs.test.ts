import { explained } from "@talosmith/lib/world/file-errors.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { systemError } from "../../test/support/failing-files.ts";
import { testWorld } from "../../test/support/test-world.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { createRun, pastRuns, startOfUnfinished } from "./runs.ts";

const worldAt = (files: Files, ms: number) => {
  const world = testWorld({ files });
  return { ...world, clock: { ...world.clock, now: () => ms } };
};

test("the newest run is the one that was made last, although the clock went back and two were within a second", () => {
  const files = new VolatileFiles();
  const made = [2000, 2000, 1000, 0, 9000].map((ms) => createRun(worldAt(files, Date.UTC(2026, 0, 1) + ms), "/env").id);
  files.write("/env/.talosmith/runs/.DS_Store", new Uint8Array(), 0o600);
  // The tenth of a second comes before the second one by its name.
  for (let n = 0; n < 10; n++) made.push(createRun(worldAt(files, Date.UTC(2026, 0, 1) + 9000), "/env").id);
  expect(pastRuns(worldAt(files, 0), "/env").map(({ id }) => id)).toEqual(made.reverse());
});

test("a run whose journal is damaged or cannot be read is still listed, and says what is missing", () => {
  const files = new VolatileFiles();
  const [first, second, third] = [1, 2, 3].map((n) => createRun(worldAt(files, Date.UTC(2026, 0, n)), "/env"));
  const started = '{"at":"","type":"run.started","command":"up"}\n';
  for (const run of [first, second, third]) files.write(run?.journal ?? "", Buffer.from(started), 0o600);
  files.append(second?.journal ?? "", Buffer.from("\0\0\0\n\0\n"), 0o600);
  const broken = explained({
    ...explained(files),
    read: (path) => {
      if (path === third?.journal) throw systemError("EIO", "read");
      return files.read(path);
    },
  });
  const runs = pastRuns(worldAt(broken, 0), "/env");
  expect(runs.map((run) => [run.id, run.events().length, run.gap()])).toEqual([
    [third?.id, 0, expect.stringMatching(/^its journal cannot be read: Unable to read .*: the disk failed$/)],
    [second?.id, 1, "2 lines of its journal cannot be read"],
    [first?.id, 1, undefined],
  ]);
});

test("an environment without runs has no past, and nothing unfinished", () => {
  const world = worldAt(new VolatileFiles(), 0);
  expect(pastRuns(world, "/env")).toEqual([]);
  expect(startOfUnfinished(world, "/env")).toBeUndefined();
});

test("a run's folder is private and survives a power failure, as do its plan and report", () => {
  const files = new VolatileFiles();
  files.makeFolder("/env", 0o700);
  files.syncFolder("/");
  const run = createRun(worldAt(files, Date.UTC(2026, 0, 1)), "/env");
  run.write("plan.json", "{}");
  const path = "/env/.talosmith/runs/2026-01-01T00-00-00";
  expect(run).toMatchObject({ id: "2026-01-01T00-00-00", journal: `${path}/events.jsonl` });
  expect(files.stat(path)?.mode).toBe(0o700);
  expect(String(files.afterCrash().read(`${path}/plan.json`))).toBe("{}");
});

test("a run's events are read once, and its folder is known", () => {
  const files = new VolatileFiles();
  const { journal } = createRun(worldAt(files, 0), "/env");
  files.write(journal, Buffer.from('{"at":"","type":"run.started","command":"up"}\n'), 0o600);
  const [run] = pastRuns(worldAt(files, 0), "/env");
  expect(run?.folder).toBe("/env/.talosmith/runs/1970-01-01T00-00-00");
  const events = run?.events();
  files.remove(journal);
  expect(run?.events()).toBe(events);
});

test("one damaged line is counted in the singular", () => {
  const files = new VolatileFiles();
  const { journal } = createRun(worldAt(files, 0), "/env");
  files.write(journal, Buffer.from("\0\n"), 0o600);
  expect(pastRuns(worldAt(files, 0), "/env")[0]?.gap()).toBe("1 line of its journal cannot be read");
});

test.each([
  ["failed", '{"at":"","type":"run.finished","outcome":"failed"}'],
  ["was cut off after a change that succeeded", '{"at":"","type":"step.finished","outcome":"ok"}'],
])("a run that %s is unfinished, since it began", (_, line) => {
  const files = new VolatileFiles();
  const { journal } = createRun(worldAt(files, Date.UTC(2026, 0, 7)), "/env");
  files.write(journal, Buffer.from(`${line}\n`), 0o600);
  expect(startOfUnfinished(worldAt(files, 0), "/env")).toBe(Date.UTC(2026, 0, 7));
});

test("runs that did not end well are counted back to the last one that did", () => {
  const files = new VolatileFiles();
  const ended = (outcome: string) => Buffer.from(`{"at":"","type":"run.finished","outcome":"${outcome}"}\n`);
  const runs = [1, 2, 3, 4].map((day) => createRun(worldAt(files, Date.UTC(2026, 0, day)), "/env"));
  const world = worldAt(files, 0);
  files.write(runs[0]?.journal ?? "", ended("failed"), 0o600);
  files.write(runs[1]?.journal ?? "", ended("ok"), 0o600);
  files.write(runs[2]?.journal ?? "", ended("failed"), 0o600);
  expect(startOfUnfinished(world, "/env")).toBe(Date.UTC(2026, 0, 3));
  files.write(runs[3]?.journal ?? "", ended("ok"), 0o600);
  expect(startOfUnfinished(world, "/env")).toBeUndefined();
});
