import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { celProblem } from "./check.ts";
import { ENVIRONMENTS } from "./environments.ts";
import { celHolds } from "./evaluate.ts";

const disk = {
  dev_path: "/dev/sdb",
  size: 100e9,
  model: "QEMU HARDDISK",
  serial: "abc",
  transport: "virtio",
  cdrom: false,
  rotational: false,
};

describe("an expression about a disk", () => {
  test.each([
    ['disk.dev_path == "/dev/sdb"', true],
    ["disk.serial == 'xyz'", false],
    ["disk.size >= 90u * GB", true],
    ["disk.size > 100u * GiB", false],
    ['glob("QEMU*", disk.model) && !disk.cdrom', true],
    ['disk.transport in ["nvme", "virtio"] || system_disk', true],
    ['disk.model.startsWith("QEMU") ? disk.rotational : true', false],
  ])("%s: %s", (text, expected) => {
    expect(celProblem(text, ENVIRONMENTS.disk)).toBeUndefined();
    expect(celHolds(text, { disk, system_disk: false })).toBe(expected);
  });

  // Talos 1.14.1 prints these.
  test.each([
    ["foo == 1", "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo == 1\n | ^"],
    ["disk.sizee > 1u", "ERROR: <input>:1:5: undefined field 'sizee'\n | disk.sizee > 1u\n | ....^"],
    [
      "disk.size > 1",
      "ERROR: <input>:1:11: found no matching overload for '_>_' applied to '(uint, int)'\n | disk.size > 1\n | ..........^",
    ],
    ["disk.dev_path", "expression output type is string, expected bool"],
  ])("%s is refused", (text, problem) => {
    expect(celProblem(text, ENVIRONMENTS.disk)).toBe(problem);
  });

  test("never throws, whatever the expression is", () => {
    const part = fc.constantFrom(
      "disk",
      ".",
      "size",
      "(",
      ")",
      "&&",
      "==",
      "1u",
      '"x"',
      "glob",
      ",",
      "!",
      " ",
      "?",
      ":",
      "[",
      "]",
    );
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join("")),
        (text) => {
          if (celProblem(text, ENVIRONMENTS.disk) === undefined) expect(typeof celHolds(text, { disk })).toBe("boolean");
        },
      ),
    );
  });
});

describe("expressions of OOMConfig", () => {
  // constants.DefaultOOMTriggerExpression and DefaultOOMCgroupRankingExpression of v1.13.9
  const TRIGGER = `(multiply_qos_vectors(d_qos_memory_full_total, {System: 8.0, Podruntime: 4.0}) > 3000.0 &&
    multiply_qos_vectors(qos_memory_full_avg10, {System: 1.0, Podruntime: 1.0}) > 5.0 && time_since_trigger > duration("5s")) ||
    (memory_full_avg10 > 75.0 && time_since_trigger > duration("10s"))`;
  const RANKING = `memory_max.hasValue() ? 0.0 :
    {Besteffort: 1.0, Burstable: 0.5, Guaranteed: 0.0, Podruntime: 0.0, System: 0.0}[class] * double(memory_current.orValue(0u))`;

  test("Talos's default expressions are accepted", () => {
    expect(celProblem(TRIGGER, ENVIRONMENTS.oomTrigger)).toBeUndefined();
    expect(celProblem(RANKING, ENVIRONMENTS.oomRanking, "double")).toBeUndefined();
  });

  // cel-go prints these.
  test.each([
    [
      "oomTrigger",
      "memory_full_avg10 > 75",
      "ERROR: <input>:1:19: found no matching overload for '_>_' applied to '(double, int)'\n | memory_full_avg10 > 75\n | ..................^",
    ],
    ["oomTrigger", "memory_full_avg10", "expression output type is double, expected bool"],
    ["oomRanking", "memory_current", "expression output type is optional_type(uint), expected double"],
    [
      "oomRanking",
      "memory_now",
      "ERROR: <input>:1:1: undeclared reference to 'memory_now' (in container '')\n | memory_now\n | ^",
    ],
  ] as const)("in %s, %s is refused", (environment, text, problem) => {
    expect(celProblem(text, ENVIRONMENTS[environment], environment === "oomRanking" ? "double" : "bool")).toBe(problem);
  });
});
