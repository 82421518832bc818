import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

// Examples of Talos's own pkg/machinery/textdiff, v1.13.9.
test.each([
  ["a\nb\n", "a\nb\n", ""],
  [
    "line 1\nline 2\nline 3\n",
    "line A\nline B\nline C\n",
    "@@ -1,3 +1,3 @@\n-line 1\n-line 2\n-line 3\n+line A\n+line B\n+line C\n",
  ],
  ["line 1\nline 3\n", "line 1\nline 2\nline 3\n", "@@ -1,2 +1,3 @@\n line 1\n+line 2\n line 3\n"],
])("%j to %j", (before, after, expected) => {
  expect(unifiedDiff(before, after)).toBe(expected === "" ? "" : `--- a\n+++ b\n${expected}`);
});

/** Applies a diff as `patch` does. */
function patched(before: string, diff: string): string {
  const lines = before.split("\n").slice(0, -1);
  let shift = 0;
  for (const [, from, part = ""] of diff.matchAll(/^@@ -(\d+),\d+ \+\d+,\d+ @@\n((?:[ +-].*\n)*)/gm)) {
    const shown = part.split("\n").slice(0, -1);
    const [old, fresh] = ["+", "-"].map((sign) => shown.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1)));
    lines.splice(Number(from) - 1 + shift, old?.length ?? 0, ...(fresh ?? []));
    shift += (fresh?.length ?? 0) - (old?.length ?? 0);
  }
  return lines.map((line) => `${line}\n`).join("");
}

test("a diff applied to the old text gives the new text", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, unifiedDiff(before, after))).toBe(after);
    }),
  );
});
