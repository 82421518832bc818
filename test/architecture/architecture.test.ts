import { expect, test } from "vitest";
import { importCycles } from "./cycles.ts";
import { deadExports } from "./exports.ts";
import { wrongImports } from "./folders.ts";
import { wrongReach } from "./outside-world.ts";
import { namedPlatforms } from "./platform-words.ts";
import { emptyNames, foldersWithoutReadme, LOOK_AGAIN_ABOVE, longFiles, STOP_ABOVE } from "./shape.ts";
import { isTest, show } from "./source-file.ts";
import { filesBelow } from "./tree.ts";

const sources = filesBelow("src", ".ts");
const tests = filesBelow("test", ".ts");
const everything = [...sources, ...tests];
const paths = everything.map((file) => file.path);

test("there is something to look at", () => {
  expect(sources.length).toBeGreaterThan(20);
});

test("imports go one way", () => {
  expect(show(sources.flatMap(wrongImports))).toEqual([]);
});

test("only the World reaches outside, only views write to the terminal, only the cli ends the program", () => {
  expect(show(sources.flatMap(wrongReach))).toEqual([]);
});

test("nothing in engine, steps, talos or kubernetes names a platform", () => {
  expect(show(sources.flatMap(namedPlatforms))).toEqual([]);
});

test("no files import each other in a ring", () => {
  expect(importCycles(everything)).toEqual([]);
});

test("nothing is exported that nobody uses", () => {
  expect(show(deadExports(everything, "src/cli/main.ts"))).toEqual([]);
});

test("no file is too long", () => {
  const lookAgain = show(longFiles(everything, LOOK_AGAIN_ABOVE));
  if (lookAgain.length > 0) console.info(`worth another look, above ${LOOK_AGAIN_ABOVE} lines:\n${lookAgain.join("\n")}`);
  expect(show(longFiles(everything, STOP_ABOVE))).toEqual([]);
});

test("every file is named after what is in it", () => {
  expect(show(emptyNames(paths))).toEqual([]);
});

test("every folder of sources says what belongs there", () => {
  const readmes = filesBelow("src", ".md").map((file) => file.path);
  const described = sources.map((file) => file.path).filter((path) => !isTest(path));
  expect(foldersWithoutReadme(described, readmes)).toEqual([]);
});
