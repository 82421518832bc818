import { expect, test } from "vitest";
import { processState } from "./process-state.ts";
import { realProcesses } from "./processes.ts";
import type { ProcessIdentity } from "./world.ts";

const self: ProcessIdentity = {
  pid: 1,
  startedAt: "10",
  bootId: "boot",
  pidNamespace: "pid:[1]",
  machineId: "machine",
  host: "here",
};
const other = { ...self, pid: 2, startedAt: "20" };
const seen = (start: string | undefined) => ({ exists: () => start !== undefined, startOf: () => start ?? "" });

test.each([
  ["runs", "20", "alive"],
  ["has ended", undefined, "dead"],
  ["has ended, and its number is another process's", "30", "dead"],
  ["is a zombie", "ended", "dead"],
  ["is hidden from other users", "", "alive"],
] as const)("a process of the same pid namespace that %s", (_, start, state) => {
  expect(processState(other, self, seen(start))).toBe(state);
});

test.each([
  ["another pid namespace", { pidNamespace: "pid:[2]" }, "unknown"],
  ["no known pid namespace", { pidNamespace: "" }, "unknown"],
  ["another machine of the same name", { bootId: "b", machineId: "m" }, "unknown"],
  ["a machine that is not known to be this one", { bootId: "b", machineId: "" }, "unknown"],
  ["another boot of this machine", { bootId: "b" }, "dead"],
  ["a copy of this machine with another name", { bootId: "b", host: "copy" }, "unknown"],
  ["this boot, when the machine was called otherwise", { host: "before" }, "dead"],
] as const)("a process that cannot be found, of %s", (_, where, state) => {
  const of = { ...other, ...where };
  expect(
    processState(of, { ...self, ...("pidNamespace" in where && where.pidNamespace === "" ? where : {}) }, seen(undefined)),
  ).toBe(state);
});

test("this process is alive, and its identity without a living process is dead", () => {
  expect(realProcesses.state(realProcesses.self())).toBe("alive");
  expect(realProcesses.state({ ...realProcesses.self(), startedAt: "1" })).toBe(process.platform === "linux" ? "dead" : "alive");
});
