import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { brokenCitations, placesOf } from "./citations.ts";
import { importCycles, loadedWith } from "./cycles.ts";
import { differentVersions, type Manifest, wrongDependencies } from "./dependencies.ts";
import { deadExports } from "./exports.ts";
import { wrongImports } from "./folders.ts";
import { importsOf } from "./imports.ts";
import { wrongReach } from "./outside-world.ts";
import { packageLeaks } from "./packages.ts";
import { countPhrases, oddPhrases, oddWaits } from "./plain-words.ts";
import { namedPlatforms } from "./platform-words.ts";
import { emptyNames, foldersWithoutReadme, LOOK_AGAIN_ABOVE, longFiles, STOP_ABOVE } from "./shape.ts";
import { isGenerated, isTest, packageOf, show } from "./source-file.ts";
import { spelledCommands } from "./suggested-commands.ts";
import { filesBelow, filesInRoot, pathsBelow, root } from "./tree.ts";

/** How many odd phrases are left; lowered with UPDATE=1, raised never. */
const COUNTS = "test/architecture/phrase-counts.json";
const fileAt = (path: string) => ({ path, text: readFileSync(join(root, path), "utf8") });

const packages = [...filesBelow("packages", ".ts"), ...filesBelow("packages", ".js")];
const sources = [...filesBelow("src", ".ts"), ...packages.filter((file) => !isGenerated(file.path))];
const generated = packages.filter((file) => isGenerated(file.path));
const tests = filesBelow("test", ".ts");
const everything = [...sources, ...tests];
const paths = everything.map((file) => file.path);

test("there is something to look at", () => {
  expect(sources.length).toBeGreaterThan(20);
});

test("imports go one way", () => {
  expect(show([...everything, ...generated].flatMap(wrongImports))).toEqual([]);
});

test("packages know nothing of the program, and lib and wire nothing of the lab, in their tests either", () => {
  expect(generated.length).toBeGreaterThan(10);
  expect(packageLeaks([...everything, ...generated])).toEqual([]);
});

const manifestIn = (folder: string): Manifest => {
  const path = join(folder, "package.json");
  return { path, ...JSON.parse(readFileSync(join(root, path), "utf8")) };
};
const program = manifestIn("");
const manifests = readdirSync(join(root, "packages")).map((name) => manifestIn(join("packages", name)));

test("each package.json lists what its files import, and nothing else", () => {
  const tools = Object.keys(program.devDependencies ?? {});
  const ofProgram = [...everything.filter((file) => packageOf(file.path) === undefined), ...filesBelow("build", ".js")];
  const wrong = manifests.flatMap((manifest) =>
    wrongDependencies(
      packages.filter((file) => packageOf(file.path) === dirname(manifest.path)),
      manifest,
      tools,
    ),
  );
  expect(show([...wrongDependencies(ofProgram, program, tools), ...wrong])).toEqual([]);
});

test("a module has one version", () => {
  expect(differentVersions([program, ...manifests])).toEqual([]);
});

test("only the World reaches outside, only views write to the terminal, only the cli ends the program", () => {
  expect(show(sources.flatMap(wrongReach))).toEqual([]);
});

test("neither commands nor what platforms share name a platform", () => {
  expect(show(sources.flatMap(namedPlatforms))).toEqual([]);
});

test("--help loads no platform: of its folder only the definition and its commands", () => {
  const loaded = loadedWith("src/cli/program.ts", sources).filter((path) => /^src\/platforms\/[^/]+\//.test(path));
  expect(loaded).toContain("src/platforms/metal/definition.ts");
  expect(loaded.filter((path) => !/\/(definition|command)\.ts$/.test(path))).toEqual([]);
});

test("a plan loads gRPC, age and SSH only when it needs them", () => {
  const loaded = ["src/cli/session.ts", "src/cli/first-use.ts", "src/workflows/plan.ts", "src/platforms/proxmox/platform.ts"]
    .flatMap((path) => loadedWith(path, sources))
    .map((path) => sources.find((file) => file.path === path)?.text ?? "");
  const modules = new Set(loaded.flatMap(importsOf).flatMap(({ specifier, kind }) => (kind === "static" ? [specifier] : [])));
  expect(modules).toContain("yaml");
  const late = /^(@bufbuild|@connectrpc|@talosmith\/wire|age-encryption|ssh2)|^node:http2/;
  expect([...modules].filter((name) => late.test(name ?? ""))).toEqual([]);
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

test("the name of every wait ends the sentence that begins with: waiting until", () => {
  expect(sources.flatMap(({ text }) => text.match(/timeoutMs|kubernetesCondition\(/g) ?? []).length).toBeGreaterThan(40);
  expect(show(sources.flatMap(oddWaits))).toEqual([]);
});

test("texts that users read have no phrase that must be read twice, and comments and test names do not get more of them", () => {
  const forUsers = /^(README|SECURITY|CHANGELOG)\.md$|^docs\/(guides|runbooks|reference|README)/;
  const documents = [...filesBelow("docs", ".md"), ...["README.md", "SECURITY.md", "CHANGELOG.md"].map(fileAt)];
  const visible = [...sources, ...documents.filter(({ path }) => forUsers.test(path))].flatMap(oddPhrases);
  const counts = { visible: visible.length, ...countPhrases([...everything, ...documents]) };
  if (process.env.UPDATE) writeFileSync(join(root, COUNTS), `${JSON.stringify(counts, undefined, 2)}\n`);
  const allowed = JSON.parse(readFileSync(join(root, COUNTS), "utf8"));
  expect(counts.visible, show(visible).join("\n")).toBeLessThanOrEqual(allowed.visible);
  expect(counts.phrases).toBeLessThanOrEqual(allowed.phrases);
  expect(counts.openings).toBeLessThanOrEqual(allowed.openings);
});

test("no text spells a command of the program, which could not be pasted", () => {
  expect(show(sources.flatMap(spelledCommands))).toEqual([]);
});

test("every folder of sources says what belongs there", () => {
  const readmes = [...filesBelow("src", ".md"), ...filesBelow("packages", ".md")].map((file) => file.path);
  const described = sources.map((file) => file.path).filter((path) => !isTest(path));
  expect(foldersWithoutReadme(described, readmes)).toEqual([]);
});

test("every path and heading that a comment or a document names exists", () => {
  const folders = ["src", "packages", "test", "bench", "build", "release", "docs", "environments", "schema"];
  const documents = [...filesInRoot(".md"), ...folders.flatMap((folder) => filesBelow(folder, ".md"))];
  const scripts = [
    ...filesBelow("test", ".js"),
    ...["bench", "build", "release"].flatMap((folder) => [...filesBelow(folder, ".ts"), ...filesBelow(folder, ".js")]),
  ];
  const places = placesOf([...readdirSync(root), ...folders.flatMap(pathsBelow)], documents);
  expect(documents.length).toBeGreaterThan(100);
  expect(show([...documents, ...everything, ...scripts].flatMap((file) => brokenCitations(file, places)))).toEqual([]);
});
