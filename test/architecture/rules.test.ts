import { describe, expect, test } from "vitest";
import { brokenCitations, placesOf } from "./citations.ts";
import { importCycles } from "./cycles.ts";
import { differentVersions, wrongDependencies } from "./dependencies.ts";
import { deadExports } from "./exports.ts";
import { wrongImports } from "./folders.ts";
import { wrongReach } from "./outside-world.ts";
import { packageLeaks } from "./packages.ts";
import { countPhrases, oddPhrases, oddWaits } from "./plain-words.ts";
import { namedPlatforms } from "./platform-words.ts";
import { emptyNames, foldersWithoutReadme, longFiles, STOP_ABOVE } from "./shape.ts";
import { show } from "./source-file.ts";
import { spelledCommands } from "./suggested-commands.ts";

// Planted wrongs: a rule that catches nothing is no rule.

const imports = (path: string, text: string) => show(wrongImports({ path, text }));
const reach = (path: string, text: string) => show(wrongReach({ path, text }));
const platforms = (path: string, text: string) => show(namedPlatforms({ path, text }));

describe("import directions", () => {
  test.each([
    ["packages/lib/x.ts", "../../src/engine/step.ts", "lib must not import engine"],
    ["packages/lib/x.ts", "../../package.json", "package.json is not part of the program"],
    ["packages/lib/x.ts", "@talosmith/wire/gen/machine/machine_pb.js", "lib must not import wire"],
    ["packages/lib/x.ts", "@talosmith/lab/kernel/lab.ts", "only the lab, demo and rehearse commands and tests may know the lab"],
    ["packages/lib/x.ts", "../lab/kernel/lab.ts", "only the lab, demo and rehearse commands and tests may know the lab"],
    [
      "packages/wire/x.ts",
      "@talosmith/lab/kernel/testdata.json",
      "only the lab, demo and rehearse commands and tests may know the lab",
    ],
    ["packages/wire/x.ts", "@talosmith/lib/json.ts", "wire must not import lib"],
    ["packages/lab/kernel/x.ts", "../../../src/platforms/proxmox/mark.ts", "lab must not import platforms"],
    ["packages/lab/kernel/x.ts", "../../../src/engine/step.ts", "lab must not import engine"],
    ["packages/lab/kernel/x.ts", "@talosmith/lab/../../src/engine/step.ts", "lab must not import engine"],
    [
      "packages/lab/kernel/x.ts",
      "talosmith/src/engine/step.ts",
      '"talosmith/src/engine/step.ts": the program is not a package that can be imported',
    ],
    ["packages/lab/kernel/x.ts", "#engine/step.ts", '"#engine/step.ts": the program is not a package that can be imported'],
    [
      "packages/lab/kernel/x.ts",
      "@talosmith/lab/kernel/lab.ts",
      '"@talosmith/lab/kernel/lab.ts": a package imports its own files by relative path',
    ],
    ["packages/lab/kernel/x.ts", "../../lib/json.ts", '"../../lib/json.ts": write @talosmith/lib/json.ts'],
    ["src/engine/x.ts", "../../packages/lib/json.ts", '"../../packages/lib/json.ts": write @talosmith/lib/json.ts'],
    ["test/support/x.ts", "../../packages/lib/json.ts", '"../../packages/lib/json.ts": write @talosmith/lib/json.ts'],
    ["src/engine/x.ts", "../config/config.ts", "engine must not import config"],
    ["src/config/x.ts", "../platforms/platform.ts", "config must not import platforms"],
    ["src/talos/x.ts", "../environment/folder.ts", "talos must not import environment"],
    ["src/platforms/proxmox/steps/x.ts", "../../../workflows/up.ts", "platforms must not import workflows"],
    ["src/platforms/proxmox/steps/x.ts", "../../vps/platform.ts", "platform proxmox must not import platform vps"],
    ["src/views/x.ts", "../config/config.ts", "views must not import config"],
    ["src/steps/x.ts", "@talosmith/lab/kernel/lab.ts", "only the lab, demo and rehearse commands and tests may know the lab"],
    ["src/cli/up.ts", "@talosmith/lab/kernel/lab.ts", "only the lab, demo and rehearse commands and tests may know the lab"],
    ["src/cli/lab-serve.ts", "@talosmith/lab/kernel/lab.ts", "the lab must be loaded late, with import()"],
    ["src/misplaced/x.ts", "@talosmith/lib/json.ts", "src/misplaced is not in the table of folders"],
    ["src/engine/x.ts", "../../test/reporter.ts", "test/reporter.ts is not part of the program"],
    ["src/engine/x.ts", "@talosmith/wire/gen/machine/machine_pb.js", "engine must not import wire"],
    ["src/engine/x.ts", "./run.test.ts", "src/engine/run.test.ts is for tests only"],
    ["src/engine/x.ts", "./step", '"./step" has no extension'],
    ["src/engine/x.ts", "@talosmith/lib/json", '"@talosmith/lib/json" has no extension'],
  ])("%s importing %s is caught", (path, specifier, message) => {
    expect(imports(path, `\n import { a } from "${specifier}";`)).toEqual([`${path}:2  ${message}`]);
  });

  test.each([
    ["src/engine/x.ts", 'import { a } from "@talosmith/lib/json.ts";'],
    ["src/steps/x.ts", 'import { a } from "../platforms/platform.ts";'],
    ["src/platforms/proxmox/x.ts", 'import type { Platform } from "../platform.ts";'],
    ["src/platforms/all.ts", 'import { proxmox } from "./proxmox/platform.ts";'],
    ["src/cli/version.ts", 'import about from "../../package.json";'],
    ["src/talos/x.ts", 'import { a } from "@talosmith/wire/gen/machine/machine_pb.js";'],
    ["packages/lab/talos/x.ts", 'import { a } from "@talosmith/wire/gen/machine/machine_pb.js";'],
    ["packages/lab/talos/x.ts", 'import { a } from "@talosmith/lib/json.ts"; import { b } from "../kernel/kernel.ts";'],
    ["src/cli/lab-serve.ts", 'const { serve } = await import("@talosmith/lab/host/serve.ts");'],
    ["src/cli/demo.ts", 'import type { Lab } from "@talosmith/lab/kernel/kernel.ts";'],
    ["src/steps/x.test.ts", 'import { lab } from "@talosmith/lab/kernel/lab.ts";'],
    ["src/engine/x.ts", '// import { a } from "../config/config.ts";\nconst text = \'import { a } from "../config/config.ts"\';'],
  ])("%s with %s is fine", (path, text) => {
    expect(imports(path, text)).toEqual([]);
  });

  test("re-exports, late imports and types are imports too", () => {
    const text = ['export { a } from "../config/a.ts";', 'export * from "../config/b.ts";', 'await import("../config/c.ts");'];
    const types = ['import type { D } from "../config/d.ts";', 'export type { E } from "../config/e.ts";'];
    expect(imports("src/engine/x.ts", [...text, ...types].join("\n"))).toHaveLength(5);
  });

  test("a late import that cannot be read is caught", () => {
    expect(imports("src/cli/x.ts", "await import(name)")).toEqual([
      "src/cli/x.ts:1  import() of something that is not a literal cannot be checked",
    ]);
  });

  test("a package loaded late is caught, because the bundle would give only its default", () => {
    expect(imports("src/cli/x.ts", 'await import("yaml")')).toHaveLength(1);
  });
});

describe("packages", () => {
  const support = { path: "test/support/config.ts", text: 'import type { Config } from "../../src/config/config.ts";' };
  const leaks = (path: string, specifier: string) => packageLeaks([{ path, text: `import { a } from "${specifier}";` }, support]);

  test.each([
    ["packages/lab/kernel/x.ts", "../../../src/engine/step.ts", "src/engine/step.ts"],
    ["packages/lab/kernel/x.test.ts", "../../../src/engine/step.ts", "src/engine/step.ts"],
    ["packages/lab/kernel/x.ts", "../../../test/support/config.ts", "test/support/config.ts"],
    ["packages/lab/kernel/x.test.ts", "../../../test/support/config.ts", "test/support/config.ts → src/config/config.ts"],
    ["packages/lib/x.test.ts", "@talosmith/lab/kernel/lab.ts", "packages/lab/kernel/lab.ts"],
    ["packages/wire/x.test.ts", "../lab/kernel/lab.ts", "packages/lab/kernel/lab.ts"],
    ["packages/misplaced/x.ts", "@talosmith/lib/json.ts", ""],
  ])("%s reaching %s is caught", (path, specifier, end) => {
    expect(leaks(path, specifier)).toEqual([end === "" ? path : `${path} → ${end}`]);
  });

  test.each([
    ["packages/lab/kernel/x.ts", "@talosmith/lib/json.ts"],
    ["packages/lab/kernel/x.ts", "@talosmith/wire/gen/machine/machine_pb.js"],
    ["packages/lib/x.test.ts", "../../test/support/runs.ts"],
    ["src/engine/x.test.ts", "../../test/support/config.ts"],
  ])("%s may reach %s", (path, specifier) => {
    expect(leaks(path, specifier)).toEqual([]);
  });

  const manifest = { path: "packages/lab/package.json", dependencies: { "@talosmith/lib": "*", yaml: "2.9.1" } };
  const dependencies = (path: string, ...modules: string[]) =>
    show(wrongDependencies([{ path, text: modules.map((module) => `import "${module}";`).join("\n") }], manifest, ["vitest"]));

  test.each([
    "zod",
    "@talosmith/wire/gen/machine/machine_pb.js",
    "talosmith/src/engine/step.ts",
    "vitest",
    "/src/engine/step.ts",
  ])("an import of %s that package.json does not list is caught", (specifier) => {
    const [wrong, ...others] = dependencies("packages/lab/x.ts", "@talosmith/lib/json.ts", "yaml", specifier);
    expect(wrong).toMatch(/^packages\/lab\/x\.ts:3 {2}packages\/lab\/package\.json does not list /);
    expect(others).toEqual([]);
  });

  test("a listed module that only tests import is caught", () => {
    expect(dependencies("packages/lab/x.test.ts", "@talosmith/lib/json.ts", "yaml", "vitest", "node:fs", "./x.ts")).toEqual([
      "packages/lab/package.json:1  lists @talosmith/lib, which no file imports",
      "packages/lab/package.json:1  lists yaml, which no file imports",
    ]);
  });

  test("two versions of a module are caught", () => {
    const other = { path: "package.json", dependencies: { yaml: "2.9.0", zod: "4.6.7" }, devDependencies: { zod: "4.6.7" } };
    expect(differentVersions([manifest, other])).toEqual(["yaml: 2.9.1 and 2.9.0"]);
  });
});

test("zod's all-holding object is caught", () => {
  expect(imports("src/config/x.ts", 'import { z } from "zod";')).toEqual(['src/config/x.ts:1  write import * as z from "zod"']);
  expect(imports("src/config/x.ts", 'import * as z from "zod";\nimport type { ZodType } from "zod";')).toEqual([]);
});

describe("the outside world", () => {
  test.each([
    ["Date.now()", "Date.now: the clock only through the World"],
    ["Date?.now()", "Date.now: the clock only through the World"],
    ["new Date()", "Date without an argument: the time comes from the World"],
    ["new Date().getTime()", "Date without an argument: the time comes from the World"],
    ["Date()", "Date without an argument: the time comes from the World"],
    ["performance.now()", "performance.now: the clock only through the World"],
    ["setTimeout(f, 1)", "setTimeout: timers only through the World"],
    ["const wait = setImmediate;", "setImmediate: timers only through the World"],
    ["AbortSignal.timeout(5)", "AbortSignal.timeout: timers only through the World"],
    ["Math.random()", "Math.random: chance only through the World"],
    ["fetch(url)", "fetch: the network only through the World"],
    ["a ? fetch : b", "fetch: the network only through the World"],
    ["globalThis.fetch(url)", "globalThis.fetch: globals by a back door only through the World"],
    ["process.env.HOME", "process.env is not for this folder"],
    ['process["env"]', "process.env is not for this folder"],
    ["process.pid", "process.pid is not for this folder"],
    ["process.stdout.write(x)", "process.stdout is not for this folder"],
    ["process.argv", "process.argv is not for this folder"],
    ["process.exit(1)", "process.exit is not for this folder"],
    ["console.log(x)", "only views write to the terminal"],
    ["crypto.randomUUID()", "randomUUID: chance and keys come from the World"],
    ['import { randomBytes } from "node:crypto";', "randomBytes: chance and keys come from the World"],
    ["const text = `at $" + "{Date.now()}`;", "Date.now: the clock only through the World"],
    ["const half = a / b; Date.now(); a / b", "Date.now: the clock only through the World"],
  ])("%s is caught", (text, message) => {
    expect(reach("src/engine/x.ts", `// first line\n${text}`)).toEqual([`src/engine/x.ts:2  ${message}`]);
  });

  test("a raw write to a file is caught at its import", () => {
    const text = 'import { writeFileSync } from "node:fs";\nwriteFileSync("x", "y");';
    expect(reach("src/environment/x.ts", text)).toEqual(["src/environment/x.ts:1  node:fs is for packages/lib/world"]);
  });

  test.each([
    "fs/promises",
    "net",
    "tls",
    "child_process",
    "timers/promises",
    "process",
    "os",
    "http",
    "https",
    "worker_threads",
  ])("node:%s is caught", (name) => {
    expect(reach("packages/lab/x.ts", `import * as it from "node:${name}";`)).toHaveLength(1);
  });

  test.each([
    ["packages/lib/world/clock.ts", "Date.now(); setTimeout(f, 1); process.env.HOME;"],
    ["packages/lib/world/files.ts", 'import * as fs from "node:fs";'],
    ["packages/lib/http/client.ts", 'import * as http from "node:http";'],
    ["packages/lab/kernel/kernel.ts", 'import type { IncomingMessage } from "node:http";'],
    ["src/cli/main.ts", "process.exitCode = run(process.argv);"],
    ["src/views/plain.ts", "process.stdout.write(text);"],
    ["src/engine/x.test.ts", "Date.now();"],
    ["src/engine/x.ts", 'import { createHash } from "node:crypto"; import { join } from "node:path";'],
    ["src/engine/x.ts", "new Date(world.clock.now()).toISOString(); let at: Date;"],
    [
      "src/engine/x.ts",
      '// Date.now()\nconst a = "Date.now()"; const b = `Date.now()`; const c = /Date.now()/; const d = it.process.pid;',
    ],
    ["src/engine/x.ts", "interface Keep { process: Process; fetch?: () => void } world.clock.sleep(1); client.fetch(x);"],
    ["src/engine/x.ts", "class A { constructor() {} toString() {} }"],
  ])("%s may say %s", (path, text) => {
    expect(reach(path, text)).toEqual([]);
  });
});

describe("platforms", () => {
  const chosen = "nothing here depends on which platform it is";
  const named = (word: string) => `${word}: nothing here names a platform`;

  test.each([
    ["src/steps/bootstrap/x.ts", "config: ConfigOnProxmox", named("Proxmox")],
    ["src/steps/x.ts", 'hint: "reboot the VPS"', named("VPS")],
    ["src/talos/config/x.ts", "// Hetzner routes it through a gateway outside.", named("Hetzner")],
    ["src/kubernetes/x.ts", "const rescueSystem = 1;", named("rescue")],
    ["src/engine/x.ts", 'const metal = kind === "metal";', named('"metal"')],
    ["src/talos/x.ts", "f(`oci`)", named('"oci"')],
    ["src/steps/x.ts", 'if (env.config.platform === "other") f();', chosen],
    ["src/steps/x.ts", "const { config } = env; f(config.platform);", chosen],
    ["src/talos/x.ts", "const name = NAMES[platform];", chosen],
    ["src/talos/x.ts", "const name = NAMES[config.platform];", chosen],
    ["src/kubernetes/x.ts", 'return platform !== "x";', chosen],
    ["src/kubernetes/x.ts", "return X === platform;", chosen],
    ["src/engine/x.ts", "switch (env.config.platform) {}", chosen],
    ["src/engine/x.ts", "switch (platform) {}", chosen],
    ["src/config/x.ts", 'if (draft.platform === "other") f();', chosen],
    ["src/workflows/x.ts", "switch (config.platform) {}", chosen],
    ["src/workflows/x.ts", 'hint: "this command is for Proxmox"', named("Proxmox")],
    ["src/cli/x.ts", 'if (text === "metal") f();', named("metal")],
    ["src/views/x.ts", "// The rescue system's words.", named("rescue")],
    ["src/operations/x.ts", "f(env.config.platform);", chosen],
  ])("%s saying %s is caught", (path, text, message) => {
    expect(platforms(path, `\n${text}`)).toEqual([`${path}:2  ${message}`]);
  });

  test.each([
    ["src/platforms/vps/x.ts", 'if (config.platform === "vps") f();'],
    ["src/workflows/x.ts", "definitionOf(env.config).open(world, env, talos); f({ platform }); access.platform.close();"],
    ["src/workflows/x.ts", 'const all = [platform]; const rows = [["Platform", heading?.platform]];'],
    ["src/cli/lab-start.ts", "const { ssh, rescue } = lab.services;"],
    ["src/steps/x.test.ts", "const proxmox = config.platform;"],
    ["src/config/x.ts", "if (platform === undefined) return;"],
    ["src/steps/testing/x.ts", 'const platform = "metal";'],
    ["src/talos/image/image.ts", 'platform: "nocloud" | "metal";'],
    ["src/steps/x.ts", "platform.steps(stage, found); const { env, platform } = given; f({ platform, found });"],
    ["src/talos/x.ts", "switch (mode) { case 1: f(platform); }"],
    ["src/kubernetes/x.ts", 'const chart = "oci://registry.example.org/x"; const bare = /metal/;'],
    ["src/talos/x.ts", 'const kind = "HCloudVIPConfig"; const label = "metal-iso"; f(image.talosPlatform);'],
  ])("%s may say %s", (path, text) => {
    expect(platforms(path, text)).toEqual([]);
  });
});

describe("files", () => {
  test("more than 400 lines are caught, but not in a table of data or a test", () => {
    const text = "x;\n".repeat(STOP_ABOVE + 1);
    const files = ["src/engine/long.ts", "src/catalog/versions.ts", "src/engine/long.test.ts"].map((path) => ({ path, text }));
    expect(show(longFiles(files, STOP_ABOVE))).toEqual(["src/engine/long.ts:1  401 lines"]);
  });

  test("names that say nothing are caught", () => {
    const paths = [
      "packages/lib/utils.ts",
      "packages/lib/test-helpers.ts",
      "packages/lib/LabManager.ts",
      "packages/lib/update.ts",
      "packages/lib/metadata.ts",
    ];
    expect(emptyNames(paths).map(({ path }) => path)).toEqual(paths.slice(0, 3));
  });

  test("a folder without a README is caught", () => {
    expect(foldersWithoutReadme(["packages/lib/x.ts", "packages/lib/http/y.ts"], ["packages/lib/README.md"])).toEqual([
      "packages/lib/http",
    ]);
  });

  test("a ring of imports is caught, one of types is not", () => {
    const ring = (kind: string) => [
      { path: "src/a.ts", text: 'import { b } from "./b.ts";' },
      { path: "src/b.ts", text: 'import { c } from "./c.ts";' },
      { path: "src/c.ts", text: `import ${kind} { a } from "./a.ts";` },
    ];
    expect(importCycles(ring(""))).toEqual(["src/a.ts → src/b.ts → src/c.ts → src/a.ts"]);
    expect(importCycles(ring("type"))).toEqual([]);
  });

  test("an export that nobody imports is caught", () => {
    const files = [
      { path: "src/a.ts", text: "export const used = 1;\nexport async function dead() {}\nexport interface Shape {}" },
      { path: "src/b.ts", text: 'import { used } from "./a.ts";' },
    ];
    expect(show(deadExports(files, "src/b.ts"))).toEqual(["src/a.ts:2  dead is exported and used nowhere"]);
  });
});

describe("waits", () => {
  const odd = (text: string) => show(oddWaits({ path: "src/steps/x.ts", text })).length;

  test("the name of a wait ends the sentence that begins with: waiting until", () => {
    expect(odd("await c.until({ name: `${name} answers at ${ip}`,\n timeoutMs: 1 });")).toBe(0);
    expect(odd("await c.until({ name: `clone ${name}`,\n timeoutMs: 1 });")).toBe(1);
    expect(odd("kubernetesCondition(\n  `waiting for ${name}`, 5)")).toBe(1);
    expect(odd('patiently(c, "nodes are listed", look)')).toBe(0);
    expect(odd('verifyCheck({\n    until: "certificates",\n})')).toBe(1);
  });
});

describe("plain words", () => {
  const odd = (path: string, text: string) => show(oddPhrases({ path, text }));

  test("a string of the program and a sentence of a guide are refused with what to write instead", () => {
    const who = "name who: the user, an administrator, another program";
    expect(odd("src/steps/x.ts", 'const a = 1;\nconst hint = "ask whoever runs it";')).toEqual([
      `src/steps/x.ts:2  "whoever": ${who}`,
    ]);
    expect(odd("docs/guides/01-x.md", "Nobody answers.\n")).toEqual([`docs/guides/01-x.md:1  "Nobody": ${who}`]);
  });

  test("comments, tests, packages and output that a guide shows are not refused", () => {
    expect(odd("src/steps/x.ts", "/** Whoever reads this. */")).toEqual([]);
    expect(odd("src/steps/x.test.ts", 'test("nobody is asked", () => {});')).toEqual([]);
    expect(odd("packages/lab/x.ts", 'const says = "nobody is there";')).toEqual([]);
    expect(odd("docs/guides/01-x.md", "```text\nnobody answers\n```\n")).toEqual([]);
  });

  test("phrases and openings of doc comments are counted everywhere", () => {
    const text = "/** What nobody knows. */\n/**\n * Of somebody.\n */\n// whoever\n/** The lock of a folder. */";
    expect(countPhrases([{ path: "src/x.ts", text }])).toEqual({ phrases: 3, openings: 2 });
  });
});

describe("citations", () => {
  const facts = { path: "docs/facts/sun.md", text: "# The sun\n\n### When it rises (1.14)\n" };
  const places = placesOf(
    ["docs/facts/sun.md", "src/engine/run.ts", "src/talos/api/run-all.ts", "packages/lib/json.ts"],
    [facts],
  );
  const broken = (path: string, text: string) => show(brokenCitations({ path, text }, places));
  const commented = (path: string, text: string) => (path.endsWith(".ts") ? `/${"/"} ${text}` : text);

  test.each([
    ["src/engine/x.ts", "See src/engine/gone.ts.", "src/engine/gone.ts"],
    ["src/engine/x.ts", "See docs/gone/.", "docs/gone/"],
    ["src/engine/x.ts", "run-all.ts is in another folder", "run-all.ts"],
    ["src/engine/x.ts", "docs/facts/sun.md#when-it-sets", "docs/facts/sun.md#when-it-sets"],
    ["src/engine/README.md", "Start with `gone.ts`.", "gone.ts"],
    ["docs/README.md", "[the sun](facts/moon.md)", "facts/moon.md"],
    ["docs/README.md", "[the sun](facts/sun.md#when-it-sets)", "facts/sun.md#when-it-sets"],
    ["docs/facts/sun.md", "[below](#gone)", "#gone"],
    ["docs/recipes/01.md", "see `@talosmith/lib/gone.ts`", "@talosmith/lib/gone.ts"],
  ])("in %s %s is caught", (path, text, cited) => {
    expect(broken(path, commented(path, text))).toEqual([`${path}:1  ${cited} does not exist`]);
  });

  test.each([
    ["src/engine/x.ts", "docs/facts/sun.md#when-it-rises-114, run.ts, src/engine and api/run-all.ts"],
    ["src/talos/x.ts", "run-all.ts is below, packages/lib/json.ts is not"],
    ["docs/README.md", "[the sun](facts/sun.md#the-sun), `@talosmith/lib/json.ts`"],
    ["docs/README.md", "`src/<name>/run.ts`, `docs/*.md`, `src/engine/init-<name>.ts`, src/x.ts, report.md"],
    ["docs/README.md", "[elsewhere](https://example.org/src/gone.ts)"],
    ["docs/facts/sun.md", "[above](#the-sun)"],
    ["docs/recipes/05.md", "--- a/src/engine/run.ts"],
  ])("in %s %s is fine", (path, text) => {
    expect(broken(path, commented(path, text))).toEqual([]);
  });

  test("code is not a citation", () => {
    expect(broken("src/engine/x.ts", 'import { a } from "./gone.ts"; const path = "src/engine/gone.ts";')).toEqual([]);
  });
});

describe("suggested commands", () => {
  const spelled = (path: string, text: string) => show(spelledCommands({ path, text }));

  test.each([
    ["src/workflows/x.ts", "const hint = `to see it:  talosmith plan ${folder}`;", "talosmith plan"],
    ["src/engine/x.ts", 'const hint = "run `talosmith up` again";', "talosmith up"],
    ["packages/lab/host/x.ts", 'const hint = "stop it: talosmith lab stop";', "talosmith lab stop"],
    ["src/cli/x.ts", "const next = [`talosmith status ${folder}`];", "talosmith status"],
  ])("%s may not spell one: %s", (path, text, command) => {
    expect(spelled(path, text)).toEqual([expect.stringContaining(`"${command}"`)]);
  });

  test.each([
    ["src/cli/x.ts", "const EXAMPLES = `  talosmith up environments/homelab`;"],
    ["src/workflows/x.ts", 'const message = "it was not written by talosmith backup";'],
    ["src/workflows/x.ts", "/** `talosmith up`: makes the cluster match the config. */"],
    ["src/workflows/x.ts", 'const message = "a disk that talosmith did not make";'],
  ])("%s may say %s", (path, text) => {
    expect(spelled(path, text)).toEqual([]);
  });
});
