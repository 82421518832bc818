import { type SpawnOptions, spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";

const project = join(import.meta.dirname, "../..");
const modules = join(project, "node_modules");
const { pidSpace, withLock } = await import(join(project, "build/lock.js"));

/** A substitute for the program: prints its arguments, echoes its input, exits with the requested code. */
const PROGRAM = `
import { text } from "node:stream/consumers";
const [what = "say", value = "one"] = process.argv.slice(2);
if (what === "exit") process.exitCode = Number(value);
else if (what === "yaml") void import("./late.ts").then(({ parsed }) => console.log(parsed(value)));
else if (what === "echo") void text(process.stdin).then((said) => console.log(said));
else if (what === "throw") throw new Error(value);
else console.log(JSON.stringify({ args: process.argv.slice(2), program: process.argv[1], version: "first" }));
`;

/** Imported late; the package is CommonJS and uses require for Node's modules. */
const LATE = `import { parse } from "yaml"; export const parsed = (text: string) => parse(text);`;

const PACKAGES = fs.readdirSync(join(project, "packages"));

const trees: string[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) fs.rmSync(tree, { recursive: true, force: true });
});

/** A clone of the repository with that program. */
function clone(options: { installed: boolean }): string {
  const tree = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "talosmith launcher #"));
  trees.push(tree);
  for (const name of ["talosmith", "build", "package.json", "package-lock.json", "tsconfig.json", ".npmrc"]) {
    fs.cpSync(join(project, name), join(tree, name), { recursive: true });
  }
  for (const name of PACKAGES) {
    fs.cpSync(join(project, "packages", name, "package.json"), join(tree, "packages", name, "package.json"));
  }
  fs.mkdirSync(join(tree, "src/cli"), { recursive: true });
  fs.writeFileSync(join(tree, "src/cli/main.ts"), PROGRAM);
  fs.writeFileSync(join(tree, "src/cli/late.ts"), LATE);
  if (options.installed) installInto(join(tree, "node_modules"));
  return tree;
}

/** The result of `npm ci`, created quickly: our own packages as links into the clone, all others as links to those installed here. */
function installInto(folder: string): void {
  fs.mkdirSync(join(folder, "@talosmith"), { recursive: true });
  for (const name of fs.readdirSync(modules).filter((one) => one !== "@talosmith")) {
    fs.symlinkSync(join(modules, name), join(folder, name));
  }
  for (const name of PACKAGES) fs.symlinkSync(`../../packages/${name}`, join(folder, "@talosmith", name));
}

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

function run(command: string, args: string[], options: SpawnOptions & { input?: string } = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: "pipe" });
    const ran: Ran = { status: null, stdout: "", stderr: "" };
    child.stdout?.on("data", (data) => (ran.stdout += data));
    child.stderr?.on("data", (data) => (ran.stderr += data));
    child.on("error", reject);
    child.on("close", (status) => resolve({ ...ran, status }));
    child.stdin?.end(options.input ?? "");
  });
}

const start = (tree: string, ...args: string[]) => run(join(tree, "talosmith"), args);
const builds = (tree: string) => fs.readdirSync(join(tree, "dist")).filter((name) => /^[0-9a-f]{16}$/.test(name));

/** A folder with a fake npm, to put on the PATH before the real one. */
function npmThat(tree: string, script: string): NodeJS.ProcessEnv {
  const bin = join(tree, "bin");
  fs.mkdirSync(bin);
  fs.writeFileSync(join(bin, "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...process.env, PATH: `${bin}:/usr/bin:/bin` };
}

const startWith = (tree: string, env: NodeJS.ProcessEnv) => run(process.execPath, [join(tree, "talosmith")], { env });

test("the first start builds, and prints one line on stderr about it", async () => {
  const ran = await start(clone({ installed: true }), "say", "hello");
  expect(ran).toMatchObject({ status: 0, stderr: "talosmith: building …\n" });
  expect(JSON.parse(ran.stdout).args).toEqual(["say", "hello"]);
});

test("a start with an existing build prints nothing of its own", async () => {
  const tree = clone({ installed: true });
  await start(tree);
  expect(await start(tree)).toMatchObject({ status: 0, stderr: "" });
});

test("a start with an existing build leaves no files behind", async () => {
  const tree = clone({ installed: true });
  await start(tree);
  const after = fs.readdirSync(join(tree, "dist"), { recursive: true }).sort();
  await start(tree);
  expect(fs.readdirSync(join(tree, "dist"), { recursive: true }).sort()).toEqual(after);
  const known = /^[0-9a-f]{16}(\/(cli\.js|parts|compiled-[\w.-]+|parts\/package\.json|[\w.-]+\/(cli|chunk-\w+)\.js(\.map)?))?$/;
  expect(after.filter((name) => !known.test(String(name)))).toEqual([]);
});

/** The compiled code of the program's first part, which the first start leaves beside it. */
function compiledCode(tree: string): string {
  const names = fs.readdirSync(join(tree, "dist"), { recursive: true }).map(String);
  const found = names.filter((name) => /compiled-[\w.-]+\/cli\.js$/.test(name));
  expect(found).toHaveLength(1);
  return join(tree, "dist", found[0] ?? "");
}

test("compiled code that this Node refuses is replaced", async () => {
  const tree = clone({ installed: true });
  await start(tree);
  const file = compiledCode(tree);
  fs.writeFileSync(file, "compiled by another Node");
  expect(await start(tree)).toMatchObject({ status: 0, stderr: "" });
  expect(fs.readFileSync(file, "latin1")).not.toContain("another Node");
});

test("damaged compiled code is replaced, and so is that of another source of the same length", async () => {
  const tree = clone({ installed: true });
  const first = await start(tree);
  const file = compiledCode(tree);
  const kept = fs.readFileSync(file);
  fs.writeFileSync(file, kept.fill(0, kept.length - 64));
  expect(await start(tree)).toMatchObject({ status: 0, stdout: first.stdout, stderr: "" });
  const source = join(dirname(dirname(file)), "parts/cli.js");
  fs.writeFileSync(source, fs.readFileSync(source, "utf8").replace('"first"', '"other"'));
  expect((await start(tree)).stdout).toContain("other");
});

test("the compiled code of a build is reused, not made again", async () => {
  const tree = clone({ installed: true });
  await start(tree);
  const file = compiledCode(tree);
  const { ino } = fs.statSync(file);
  await start(tree);
  expect(fs.statSync(file).ino).toBe(ino);
});

test("with source maps an error names the line of the source", async () => {
  const tree = clone({ installed: true });
  await start(tree);
  const ran = await run(process.execPath, ["--enable-source-maps", join(tree, "talosmith"), "throw", "broken"]);
  expect(ran.stderr).toContain("Error: broken");
  expect(ran.stderr).toMatch(/at .*src\/cli\/main\.ts:7:\d+/);
});

test("four simultaneous first starts succeed and share one build", async () => {
  const tree = clone({ installed: true });
  const all = await Promise.all([1, 2, 3, 4].map(() => start(tree)));
  expect(all.map((ran) => ran.status)).toEqual([0, 0, 0, 0]);
  expect(builds(tree)).toHaveLength(1);
});

test("a changed source is built again", async () => {
  const tree = clone({ installed: true });
  await start(tree);
  fs.writeFileSync(join(tree, "src/cli/main.ts"), PROGRAM.replace('"first"', '"other"'));
  const ran = await start(tree);
  expect(ran.stderr).toBe("talosmith: building …\n");
  expect(JSON.parse(ran.stdout).version).toBe("other");
});

test("a changed source of a package is built again", async () => {
  const tree = clone({ installed: true });
  fs.writeFileSync(join(tree, "packages/lib/word.ts"), 'export const word = "first";');
  fs.writeFileSync(join(tree, "src/cli/main.ts"), 'import { word } from "@talosmith/lib/word.ts"; console.log(word);');
  expect((await start(tree)).stdout).toBe("first\n");
  fs.writeFileSync(join(tree, "packages/lib/word.ts"), 'export const word = "other";');
  expect(await start(tree)).toMatchObject({ stdout: "other\n", stderr: "talosmith: building …\n" });
});

test("a changed test, README, wire contract or installed dependency causes no build", async () => {
  const tree = clone({ installed: true });
  await start(tree);
  fs.writeFileSync(join(tree, "src/cli/main.test.ts"), "");
  fs.writeFileSync(join(tree, "src/cli/README.md"), "");
  for (const name of ["wire/protos", "lab/node_modules"]) {
    fs.mkdirSync(join(tree, "packages", name));
    fs.writeFileSync(join(tree, "packages", name, "x.ts"), "");
  }
  expect((await start(tree)).stderr).toBe("");
});

test("the program's exit code is the launcher's", async () => {
  const tree = clone({ installed: true });
  expect((await start(tree, "exit", "2")).status).toBe(2);
  expect((await start(tree, "exit", "130")).status).toBe(130);
});

test("standard input reaches the program", async () => {
  const tree = clone({ installed: true });
  expect((await run(join(tree, "talosmith"), ["echo"], { input: "some words" })).stdout).toBe("some words\n");
});

test("the launcher works through a link from any folder, and the program can start itself again by its first argument", async () => {
  const tree = clone({ installed: true });
  const link = join(tree, "link");
  fs.symlinkSync(join(tree, "talosmith"), link);
  const ran = await run(link, [], { cwd: "/" });
  expect(JSON.parse(ran.stdout).program).toBe(link);
});

test("the build contains the dependencies, CommonJS ones and late imports included", async () => {
  const tree = clone({ installed: true });
  await start(tree);
  fs.rmSync(join(tree, "node_modules"), { recursive: true });
  expect(await start(tree, "yaml", "[1, 2]")).toMatchObject({ status: 0, stdout: "[ 1, 2 ]\n", stderr: "" });
});

test("an older Node gets an error with the required version", async () => {
  const pretend = 'Object.defineProperty(process.versions, "node", { value: "20.18.3" })';
  const args = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, join(clone({ installed: true }), "talosmith")];
  const ran = await run(process.execPath, args);
  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(/^talosmith needs Node 20\.19 or newer; this is Node 20\.18\.3 \(.*\)\n$/);
});

test("a source that does not compile is reported with its position, without a stack", async () => {
  const tree = clone({ installed: true });
  fs.writeFileSync(join(tree, "src/cli/main.ts"), "const a = 1;\nconst = 2;\n");
  const ran = await start(tree);
  expect(ran.status).toBe(1);
  expect(ran.stderr).toContain("talosmith: unable to build\n  src/cli/main.ts:2:7");
  expect(ran.stderr).not.toMatch(/^ +at /m);
});

test("old builds are removed, except young ones and those in use", async () => {
  const tree = clone({ installed: true });
  const twoHoursAgo = Date.now() / 1000 - 7200;
  const [old, used, young] = ["0".repeat(16), "1".repeat(16), "2".repeat(16)];
  for (const name of [old, used, young]) fs.mkdirSync(join(tree, "dist", name), { recursive: true });
  fs.writeFileSync(join(tree, "dist", old, "used-by-999999999"), "");
  fs.writeFileSync(join(tree, "dist", used, `used-by-${process.pid}`), "");
  for (const name of [old, used]) fs.utimesSync(join(tree, "dist", name), twoHoursAgo, twoHoursAgo);
  await start(tree);
  const left = builds(tree);
  expect(left).not.toContain(old);
  expect(left).toEqual(expect.arrayContaining([used, young]));
});

test("on a fresh clone two simultaneous starts install once with the real npm, and both succeed", async () => {
  const tree = clone({ installed: false });
  const all = await Promise.all([start(tree), start(tree)]);
  expect(all.map((ran) => ran.status)).toEqual([0, 0]);
  const lines = all.flatMap((ran) => ran.stderr.split("\n"));
  expect(lines.filter((line) => line === "talosmith: installing its dependencies (npm ci) …")).toHaveLength(1);
  fs.appendFileSync(join(tree, "src/cli/main.ts"), "\n");
  expect((await start(tree)).stderr).toBe("talosmith: building …\n");
});

test("one of the waiting processes takes over the lock of a dead process", async () => {
  const tree = clone({ installed: false });
  const env = npmThat(tree, `sleep 0.3; echo once >> "${tree}/installs"; mv "${tree}/prepared" node_modules`);
  installInto(join(tree, "prepared"));
  fs.mkdirSync(join(tree, "dist/.install-lock"), { recursive: true });
  fs.writeFileSync(
    join(tree, "dist/.install-lock/holder"),
    JSON.stringify({ pid: 999_999_999, space: pidSpace(), token: "dead" }),
  );
  const all = await Promise.all([1, 2, 3].map(() => startWith(tree, env)));
  expect(all.map((ran) => ran.status)).toEqual([0, 0, 0]);
  expect(fs.readFileSync(join(tree, "installs"), "utf8")).toBe("once\n");
});

test("the lock of a process in another container is respected, although its pid does not exist here", async () => {
  const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "talosmith-lock-"));
  trees.push(folder);
  const lock = join(folder, ".install-lock");
  fs.mkdirSync(lock);
  fs.writeFileSync(join(lock, "holder"), JSON.stringify({ pid: 999_999_999, space: "another", token: "alive" }));
  const order: string[] = [];
  const waiting = (said: string) => {
    order.push(said);
    fs.rmSync(lock, { recursive: true });
  };
  await withLock(folder, waiting, async () => void order.push("work"));
  expect(order).toEqual([expect.stringContaining("waiting for another talosmith"), "work"]);
});

test("the output of a failed npm is shown", async () => {
  const tree = clone({ installed: false });
  const ran = await startWith(tree, npmThat(tree, "echo no route to the registry >&2; exit 7"));
  expect(ran.status).toBe(1);
  expect(ran.stderr).toContain("npm ci failed with exit code 7");
  expect(ran.stderr).toContain("no route to the registry");
});

test("a failed installation leaves no lock behind", async () => {
  const tree = clone({ installed: false });
  await startWith(tree, npmThat(tree, "exit 1"));
  expect(fs.readdirSync(join(tree, "dist"))).toEqual([]);
});

test("a missing npm is an error that names npm", async () => {
  const ran = await startWith(clone({ installed: false }), { ...process.env, PATH: "/nowhere" });
  expect(ran.status).toBe(1);
  expect(ran.stderr).toContain("talosmith: npm was not found\n");
});

test("dependencies of another version are installed again", async () => {
  const tree = clone({ installed: true });
  const lock = join(tree, "package-lock.json");
  fs.writeFileSync(lock, fs.readFileSync(lock, "utf8").replace(/("node_modules\/zod": \{\s*"version": ")[^"]*/, "$10.0.0"));
  expect((await startWith(tree, npmThat(tree, "exit 7"))).stderr).toContain("npm ci failed with exit code 7");
});

test("a missing link to one of our own packages is installed again", async () => {
  const tree = clone({ installed: true });
  fs.unlinkSync(join(tree, "node_modules/@talosmith/lab"));
  expect((await startWith(tree, npmThat(tree, "exit 7"))).stderr).toContain("npm ci failed with exit code 7");
});

test("a node_modules that links to another clone is left unchanged", async () => {
  const tree = clone({ installed: false });
  fs.symlinkSync(modules, join(tree, "node_modules"));
  const ran = await start(tree);
  expect(ran.status).toBe(1);
  expect(ran.stderr).toContain("is a link and does not match this clone");
  expect(fs.existsSync(join(modules, ".package-lock.json"))).toBe(true);
});
