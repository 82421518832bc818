import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastPicture, recording } from "./recording.js";

const up = (rows) => `\x1b[${rows}A\r`;

test("a row that is written over is visible only until then, and the last one stays", () => {
  const svg = recording("talosmith demo", [
    { ms: 0, text: "3 machines <new>\n" },
    { ms: 1000, text: "cloning: 42 %\n" },
    { ms: 2000, text: `${up(1)}\x1b[32m✓\x1b[0m clon` },
    { ms: 2100, text: "ed\x1b[K\n\x1b" },
    { ms: 2200, text: "[1mcp-1 is up\x1b[0m\n" },
  ]);
  expect(lastPicture(svg)).toEqual(["$  talosmith demo", "3 machines <new>", "✓  cloned", "cp-1 is up"]);
  expect(svg).toMatch(/<text y="36" class="gone \w+"><tspan x="17">cloning: 42 %<\/tspan>/);
  expect(svg).toMatch(/<tspan x="17" class="s32">✓<\/tspan>/);
  expect(svg).toMatch(/@keyframes \w+\{0%\{visibility:hidden\}[\d.]+%\{visibility:visible\}[\d.]+%\{visibility:hidden\}\}/);
});

test("a picture taller than the terminal scrolls to its last rows", () => {
  const svg = recording("talosmith demo", [{ ms: 0, text: "row\n".repeat(40) }]);
  // 42 rows with the command and the cursor's own, of which 24 fit.
  expect(svg).toContain(`transform="translate(0 -${18 * 18})"`);
});

test("the recording in the README is small and needs nothing from elsewhere", () => {
  const svg = readFileSync(join(import.meta.dirname, "../docs/demo.svg"), "utf8");
  expect(svg.length).toBeLessThan(100_000);
  expect(svg).not.toMatch(/<script|<image|<foreignObject|(href|src)=|url\(|@import|@font-face/);
  expect(svg).toContain("prefers-color-scheme:dark");
  expect(svg).toContain("prefers-reduced-motion");
  expect(lastPicture(svg)[0]).toBe("$  npx talosmith demo");
});
