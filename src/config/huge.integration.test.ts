import { TalosmithError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { changed, GOOD, loadFolder, TOKEN } from "./testing/config-in-memory.ts";

/* Files that are made to cost time or memory. The time is the processor's alone, so that a busy machine changes nothing. */

const MOST_CPU_MS = 5_000;
const MIB = 1024 * 1024;
const full = (piece: string, size = MIB) => piece.repeat(Math.floor(size / piece.length));
const many = (count: number, piece: (at: number) => string) => Array.from({ length: count }, (_, at) => piece(at)).join("");
const endpoint = (value: string) => changed({ "10.10.0.5": value });
const aliases = (name: number) => `x${name + 1}: &x${name + 1} [${`*x${name}, `.repeat(10)}]\n`;

function told(config: string | Uint8Array, env: Record<string, string> = {}): string {
  const before = process.cpuUsage();
  try {
    loadFolder({ files: { "config.yaml": config }, env: { PROXMOX_TOKEN: TOKEN, ...env } });
    return "taken";
  } catch (error) {
    if (!(error instanceof TalosmithError) || error.kind !== "user") throw error;
    const [first] = error.problems;
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(MOST_CPU_MS);
    expect([first?.hint ?? "", first?.where?.line ?? 0]).toEqual([expect.stringMatching(/./), expect.any(Number)]);
    expect(JSON.stringify(error.report()).length).toBeLessThan(200_000);
    return first?.message ?? "";
  }
}

const LONG = "the file is too long";
const DEEP = "values are nested more than 64 levels deep";

test.each([
  ["larger than a config can be", full("# x\n", 10 * MIB), "environments/homelab/config.yaml is larger than 1 MiB"],
  ["brackets", full("["), DEEP],
  ["maps in maps", full("{a: "), DEEP],
  ["lists in lists", full("- "), DEEP],
  ["keys of keys", full("? "), DEEP],
  ["quotes", full('"'), LONG],
  ["block texts", endpoint(full("|\n", MIB - 2000)), LONG],
  ["aliases", full("*a "), LONG],
  ["documents", full("--- a\n"), LONG],
  ["the same key", full("a: b\n"), LONG],
  ["aliases of aliases", `${GOOD}x0: &x0 [a]\n${many(12, aliases)}`, "this expands to too many values"],
  [
    "a chain of aliases",
    `${GOOD}x0: &x0 [a]\n${many(3000, (at) => `x${at + 1}: &x${at + 1} [*x${at}]\n`)}`,
    "*x0 contains itself",
  ],
  ["references", endpoint(many(120_000, (at) => `\${${at}}`)), `\${0} is no reference`],
  ["unknown keys", `${GOOD}${many(2000, (at) => `noodes${at}: 1\n`)}`, "noodes0 is not a known key"],
  [
    "nodes",
    `${GOOD}${many(2500, (at) => `  - { name: n, role: worker, ip: 10.11.0.${at} }\n`)}`,
    "nodes[2].ip is outside network.cidr",
  ],
  ["machines by a number", changed({ "count: 2": "count: 999999999" }), "nodes[1].count must be from 1 to 1000"],
])("a file of nothing but %s", (_, config, message) => {
  expect(told(config)).toBe(message);
});

test("references that together exceed the limit are refused", () => {
  const env = { BIG: "x".repeat(100_000) };
  expect(told(endpoint(full(`\${env:BIG}`, MIB - 2000)), env)).toBe("the references up to here bring in more than 8 MiB");
});

test("properties of JavaScript objects are not environment variables", () => {
  expect(told(endpoint(`\${env:__proto__}`))).toBe("environment variable __proto__ is not set");
  expect(told(endpoint(`\${env:toString}`))).toBe("environment variable toString is not set");
});
