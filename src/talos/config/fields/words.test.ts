import { expect, test } from "vitest";
import { saysNothing, unreadable } from "./words.ts";

const plain = (word: string, pointer = false) => ({
  is: "plain" as const,
  word,
  pointer,
  replaced: false,
  ...(word.includes("|") && { words: word.split("|") }),
});

// Values that Go's and Talos's parsers of these types accept; test/conformance/patches checks every field of every kind.
test.each([
  ["text", ["a", "", 1, true], []],
  ["bool", [true, false, "yes", "off", "N"], ["true", "enabled", 1, ""]],
  ["uint16", [0, 65_535], [-1, 65_536, 1.5, "80", true]],
  ["int", [-5, 5], ["5", 0.5]],
  ["duration", ["1m30s", "0", 0, "-5s", "1.5h"], ["60", 60, "1 minute", ""]],
  ["address", ["10.0.0.1", "fd00::1", "fe80::1%eth0", "::ffff:10.0.0.1", ""], ["10.0.0.300", "10.0.0.0/8", "host"]],
  ["prefix", ["10.0.0.0/8", "fd00::/64", ""], ["10.0.0.1", "10.0.0.0/33", "10.0.0.0/08"]],
  ["address:port", ["10.0.0.1:80", "[fd00::1]:80"], ["10.0.0.1", "fd00::1:80", "10.0.0.1:70000"]],
  ["mac", ["aa:bb:cc:00:11:22", "AABB"], ["aa:bb:c", "zz:00"]],
  ["bytes", ["10GB", "1.5TiB", "100", 100, "-5GB"], ["10 gigabytes", "10.0.0.1", "50%"]],
  ["size", ["10GB", "50%", "-20%"], ["120%", "half"]],
  ["size condition", [">= 100GB", "== 1TB", "1TB"], ["large", ">= "]],
  ["ports", [80, "8000-9000"], ["80", 70_000, "80-", "a-b"]],
  ["url", ["https://example.org/a?b#c", "tcp://10.0.0.1:514"], ["10.0.0.1:514", "https://example.org/50%"]],
  ["base64", ["dGV4dA==", ""], ["no base64!", "abc"]],
  ["table", ["main", 100, "252", "unspec"], ["253", "0", "other"]],
  ["off|stable", ["off", "Stable"], ["on", ""]],
])("%s is read from %j, not from %j", (word, good, bad) => {
  expect(good.filter((value) => unreadable(plain(word), value) !== undefined)).toEqual([]);
  expect(bad.filter((value) => unreadable(plain(word), value) === undefined)).toEqual([]);
});

test.each([
  ["text", "", "0"],
  ["int", 0, 1],
  ["duration", "0m0s", "1s"],
  ["accept|block", "accept", "block"],
  ["|tcp|udp", "", "tcp"],
])("of %s, %j says nothing in a patch and %j does", (word, nothing, something) => {
  if (nothing !== "" || word === "text") expect(saysNothing(plain(word), nothing)).toBe(true);
  expect(saysNothing(plain(word), something)).toBe(false);
  expect(saysNothing(plain(word, true), nothing)).toBe(false);
});
