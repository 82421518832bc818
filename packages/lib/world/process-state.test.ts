import { expect, test } from "vitest";
import { processState } from "./process-state.ts";
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

const mac = { bootId: "", pidNamespace: "", machineId: "", host: "mac" };

test.each([
  ["of this host, which runs", mac, "20", "alive"],
  ["of this host, which has ended", mac, undefined, "dead"],
  ["of another host", { ...mac, host: "other" }, undefined, "unknown"],
  ["of another host of the same machine id", { ...mac, host: "other", machineId: "machine" }, undefined, "unknown"],
  ["of a Linux system of the same name", { ...mac, bootId: "boot", machineId: "machine" }, undefined, "unknown"],
] as const)("without boot ids a process %s is judged by host name and number", (_, where, start, state) => {
  const here = { ...self, ...mac, machineId: where.machineId };
  expect(processState({ ...other, ...where }, here, seen(start))).toBe(state);
});

test("a process without a boot id is not proven dead by a system that has one", () => {
  expect(processState({ ...other, bootId: "", pidNamespace: "" }, self, seen(undefined))).toBe("unknown");
});

test("a process that exists in this boot but in an unknown pid namespace is not judged by its number", () => {
  const nowhere = { pidNamespace: "" };
  expect(processState({ ...other, ...nowhere }, { ...self, ...nowhere }, seen("20"))).toBe("unknown");
  expect(processState({ ...other, ...nowhere }, self, seen("20"))).toBe("unknown");
  expect(processState(other, { ...self, ...nowhere }, seen("20"))).toBe("unknown");
});

test("machines without a machine id are never taken for the same machine", () => {
  const anonymous = { machineId: "" };
  expect(processState({ ...other, ...anonymous, bootId: "b" }, { ...self, ...anonymous }, seen(undefined))).toBe("unknown");
});
