import { expect, test } from "vitest";
import { keyHint, nearest, nearestWords } from "./nearest.ts";

test.each([
  ["nmae", "name"],
  ["NAME", "name"],
  ["gatway", "gateway"],
  ["namservers", "nameservers"],
  ["gateways", "gateway"],
])("the nearest word to %s is %s", (word, expected) => {
  expect(nearest(word, ["name", "gateway", "nameservers"])).toBe(expected);
});

test.each(["x", "bridge", "", "completely-else"])("%j is another word", (word) => {
  expect(nearest(word, ["name", "gateway", "nameservers"])).toBeUndefined();
});

const NODE = ["name", "role", "ip", "mac", "vmid", "host", "cores", "memory", "disk", "cpu", "cpuFlags", "disks", "diskFlags"];
const MORE = ["pool", "storage", "description", "installDisk", "nics"];

test.each([
  ["disk_gb", ["disk"]],
  ["disk_size_gb", ["disk"]],
  ["memory_mb", ["memory"]],
  ["vm_id", ["vmid"]],
  ["diskflags", ["diskFlags"]],
  ["ip_address", ["ip"]],
  ["macAddress", ["mac"]],
  ["storage_pool", ["storage", "pool"]],
  ["flags", ["cpuFlags", "diskFlags"]],
  ["desc", ["description"]],
  ["memroy", ["memory"]],
  ["cpuFlag", ["cpuFlags"]],
])("%s may mean %j, nearest first", (word, expected) => {
  expect(nearestWords(word, [...NODE, ...MORE])).toEqual(expected);
});

test.each([
  ["ram", "memory"],
  ["vcpus", "cores"],
  ["hostname", "name"],
  ["target_node", "host"],
])("%s is what other tools call %s", (word, expected) => {
  expect(nearestWords(word, NODE)).toEqual([expected]);
});

test("a hint lists at most five keys", () => {
  expect(
    keyHint(
      "option",
      ["optionA", "optionB", "optionC", "optionD", "optionE", "optionF"].map((key) => `${key}More`),
    ),
  ).toBe("did you mean optionAMore, optionBMore, optionCMore, optionDMore or optionEMore?");
  expect(keyHint("frobnicate", NODE)).toBe("remove it; the keys known here are name, role, ip, mac, vmid and 8 more");
  expect(keyHint("frobnicate", ["a", "b"])).toBe("remove it; the keys known here are a, b");
  expect(keyHint("frobnicate", [])).toBe("remove it");
});

test("a very long word is compared quickly and means nothing", () => {
  expect(nearestWords("x".repeat(1_000_000), NODE)).toEqual([]);
});
