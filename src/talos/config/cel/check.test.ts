import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diskExpression } from "../disk-expression.ts";
import { celProblem } from "./check.ts";
import { CEL_PLACES } from "./places.ts";

/* Examples of Talos's documentation and sources, and what CEL's grammar allows; cel-go takes every one of them. */
test.each([
  ["disk", 'disk.transport == "nvme"'],
  ["disk", "disk.size > 120u * GB && disk.size < 1u * TB"],
  ["disk", 'disk.transport == "sata" && !disk.rotational && !system_disk'],
  ["disk", "true"],
  ["disk", "!!system_disk || --disk.rotational"],
  ["disk", "has(has(disk.model)) || null <= duration('1s')"],
  ["disk", "(disk.size / 2u) % 3u >= 0x10u // a comment\n"],
  ["disk", "disk.model.matches(r'^a\\d+$') || glob('a*', disk.serial)"],
  ["disk", "'/dev/disk/by-id/x' in disk.symlinks"],
  ["disk", "disk.symlinks.exists(s, s.startsWith('/dev/disk/by-id/wwn-'))"],
  ["disk", 'disk.symlinks.filter(s, s != "").map(s, size(s)).all(n, n > 1)'],
  ["disk", 'has(disk.serial) ? disk.serial != "" : false'],
  ["disk", 'disk.model + "x" == """a"b""" || string(disk.size).endsWith("0")'],
  ["disk", "[1, 2,][0] == 1 && {'a': 1}['a'] == 1"],
  ["disk", 'int(disk.size) > -5 && double(disk.size) > 1.5e3 && b"a" != b"b"'],
  ["disk", "type(disk.size) == uint && dyn(1) == 1"],
  ["disk", ".disk.cdrom == false"],
  ["volume", 'volume.partition_label == "MY-DATA" && disk.serial == "SERIAL123"'],
  ["member", 'volume.partition_label.startsWith("r-lvm") || volume_id == "r-lvmdata"'],
  ["link", 'mac(link.permanent_addr) == "00:1a:2b:3c:4d:5e" && link.type == 1'],
  ["link", 'glob("00:1a:2b:*", mac(link.permanent_addr)) && link.vlan.vlan_id == 5u'],
  [
    "trigger",
    `(multiply_qos_vectors(d_qos_memory_full_total, {System: 8.0, Podruntime: 4.0}) > 3000.0 &&
      multiply_qos_vectors(qos_memory_full_avg10, {System: 1.0, Podruntime: 1.0}) > 5.0 && time_since_trigger > duration("5s")) ||
      (memory_full_avg10 > 75.0 && time_since_trigger > duration("10s"))`,
  ],
  ["trigger", "qos_memory_current[System] > double(GiB)"],
  [
    "ranking",
    `memory_max.hasValue() ? 0.0 : {Besteffort: 1.0, Burstable: 0.5, Guaranteed: 0.0, Podruntime: 0.0, System: 0.0}[class] *
      double(memory_current.orValue(0u))`,
  ],
  ["ranking", "{Besteffort: 1.0}[?class].orValue(0.0)"],
  ["ranking", "path.startsWith('/kubepods') && class == Besteffort ? double(memory_peak.or(optional.of(1u)).value()) : -1.0"],
] as const)("in the place of a %s, %s is an expression", (place, expression) => {
  expect(celProblem(expression, CEL_PLACES[place])).toBeUndefined();
});

test("talosmith's own expressions are valid", () => {
  for (const disk of ["/dev/sda", "/dev/disk/by-id/a", { size: ">= 100GB", model: 'a"*', type: "ssd" } as const])
    expect(celProblem(diskExpression(disk), CEL_PLACES.disk)).toBeUndefined();
});

describe("expressions that Talos refuses are refused", () => {
  test.each([
    ["disk", "disk.size > 100GB", "expected an operator or the end, found GB (character 16)"],
    ["disk", 'disk.model = "x"', "write == to compare (character 12)"],
    ["disk", "disk.size >", "expected a value or a name, found the end (character 12)"],
    ["disk", "(disk.cdrom", "expected ), found the end (character 12)"],
    ["disk", 'disk.model == "a', '" is not allowed here (character 15)'],
    ["disk", '"\\d" == "d"', '" is not allowed here (character 1)'],
    ["disk", "!-1", "expected a value or a name, found - (character 2)"],
    ["disk", "glob('a', disk.model,)", "expected a value or a name, found ) (character 22)"],
    ["disk", "disks.size > 1u", "there is no disks here (character 1)"],
    ["disk", "disk.sise > 1u", "disk has no sise (character 5)"],
    ["disk", "disk.model.lower() == 'a'", "there is no lower() here (character 11)"],
    [
      "disk",
      "disk.size > 100 * GB",
      "* cannot be used with a number and an unsigned number; sizes are unsigned: write 100u (character 17)",
    ],
    [
      "disk",
      "disk.size > 100",
      "> cannot be used with an unsigned number and a number; sizes are unsigned: write 100u (character 11)",
    ],
    ["disk", "disk.model", "its result is text and must be true or false"],
    ["disk", "disk.model && true", "&& cannot be used with text and true or false (character 12)"],
    ["disk", "disk.serial.size.x == 1", "text has no size (character 12)"],
    ["disk", "glob(disk.model)", "glob() takes text and text (character 1)"],
    ["volume", "glob('a', volume.name)", "there is no glob() here (character 1)"],
    ["volume", "system_disk", "there is no system_disk here (character 1)"],
    ["link", "mac(link.driver) == 'a'", "mac() takes bytes (character 1)"],
    ["trigger", "memory_full_avg10 > 75", "> cannot be used with a number with a point and a number (character 19)"],
    ["trigger", "time_since_trigger > 5.0", "> cannot be used with a duration and a number with a point (character 20)"],
    ["ranking", "memory_current.orValue(0u) > 1u", "its result is true or false and must be a number with a point"],
    ["ranking", "memory_current", "its result is an optional value and must be a number with a point"],
  ] as const)("in the place of a %s, %s: %s", (place, expression, problem) => {
    expect(celProblem(expression, CEL_PLACES[place])).toBe(problem);
  });
});

test("every text is judged, however it is put together", () => {
  const parts =
    `disk . size model ( ) [ ] { } ? : , && || == in ! - + 1u 1 1.0 "x" 'y' r"z" glob has exists s "" system_disk`.split(" ");
  const expression = fc.array(fc.constantFrom(...parts, " "), { maxLength: 40 }).map((words) => words.join(""));
  fc.assert(
    fc.property(fc.oneof(expression, fc.string()), (text) => {
      const problem = celProblem(text, CEL_PLACES.disk);
      expect(["string", "undefined"]).toContain(typeof problem);
    }),
  );
  expect(celProblem("(".repeat(1900), CEL_PLACES.disk)).toContain("nested too deep");
  expect(celProblem(`1${"+1".repeat(990)} == 1`, CEL_PLACES.disk)).toBeUndefined();
});
