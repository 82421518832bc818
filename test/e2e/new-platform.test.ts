import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/child.ts";

// A platform is a folder: the recipe's files and its lines for the list are all that is added to a copy of the program.

const NAME = "manual";
const recipe = readFileSync(join(ROOT, "docs/recipes/03-add-a-platform.md"), "utf8");
/** Each "### `x.ts`" and the first block of code below it. */
const files = [...recipe.matchAll(/^### `([^`]+)`\n[\s\S]*?^```\w+\n([\s\S]*?)^```$/gm)].map(([, name = "", text = ""]) => ({
  path: `src/platforms/${NAME}/${name}`,
  text,
}));
const lists = recipe.slice(recipe.indexOf("## Add it to the lists"), recipe.indexOf("## What else"));
/** The lines to add to existing files: an import, and the new list. */
const additions = [...lists.matchAll(/^In `([^`]+)`[\s\S]*?^```ts\n(.*)\n(.*)\n```$/gm)].map(
  ([, path = "", addedImport = "", newList = ""]) => ({ path, addedImport, newList }),
);

let tree: string;

const read = (path: string) => readFileSync(join(tree, path), "utf8");
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
};

beforeAll(async () => {
  tree = mkdtempSync(join(tmpdir(), "talosmith-new-platform-"));
  for (const path of ["src", "package.json", "tsconfig.json"]) cpSync(join(ROOT, path), join(tree, path), { recursive: true });
  for (const folder of ["node_modules", "packages"]) symlinkSync(join(ROOT, folder), join(tree, folder));
  for (const { path, text } of files) write(path, text);
  expect(additions).toHaveLength(2);
  for (const { path, addedImport, newList } of additions) {
    const before = newList.replace(new RegExp(`, ${NAME}(Config)?\\]`), "]");
    expect(read(path)).toContain(`\n${before}\n`);
    write(path, `${addedImport}\n${read(path).replace(before, newList)}`);
  }
  await build({
    absWorkingDir: tree,
    entryPoints: { cli: "src/cli/main.ts" },
    outdir: "dist",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url), __dirname = import.meta.dirname;',
    },
    external: ["cpu-features", "*.node", "@talosmith/lab/*"],
    logLevel: "silent",
  });
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

const run = (...args: string[]) => started(["dist/cli.js", ...args]);

function started(args: readonly string[]): Promise<Ended> {
  return new Promise((done) => {
    const env = { ...process.env, NO_COLOR: "1" };
    execFile(process.execPath, [...args], { cwd: tree, env }, (error, stdout, stderr) =>
      done({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/** On loopback addresses where nothing listens. */
async function initialised(...more: string[]): Promise<string> {
  const folder = join(tree, `environments/desk-${more.length}`);
  const { exitCode, stderr } = await run("init", NAME, folder, "--yes", "--cidr", "127.91.7.0/24", ...more);
  expect(exitCode, stderr).toBe(0);
  return folder;
}

test("the recipe has at most six files, and an import and an entry for each of two lists", () => {
  expect(files.map(({ path }) => path).length).toBeLessThanOrEqual(6);
  for (const { addedImport, newList } of additions)
    expect([addedImport, newList]).toEqual([expect.stringContaining(NAME), expect.stringMatching(`, ${NAME}(Config)?\\]`)]);
});

test("the recipe's files typecheck", async () => {
  const options = {
    extends: "./tsconfig.json",
    files: [...additions.map(({ path }) => path), ...files.map(({ path }) => path).filter((path) => path.endsWith(".ts"))],
  };
  write("tsconfig.new.json", JSON.stringify({ ...options, include: [] }));
  const { stdout } = await started([join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", "tsconfig.new.json"]);
  expect(stdout).toBe("");
});

test("init knows the new platform and its flags", async () => {
  const { stdout } = await run("init", "--help");
  expect(stdout).toMatch(/--contact <name> +manual: who starts the machines/);
  expect(stdout).toMatch(/talosmith init manual environments\/desk +for machines that a person starts/);
  const misspelt = await run("init", "manuel", "environments/desk");
  expect(misspelt).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("did you mean manual?") });
  const foreign = await run("init", NAME, "environments/desk", "--bridge", "vmbr1", "--yes");
  const refusal = '--bridge is for proxmox, not for manual: remove it, or use "init proxmox"';
  expect(foreign).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(refusal) });
});

test("a config of the new platform is checked like every other", async () => {
  const folder = await initialised();
  const { exitCode, stderr } = await run("plan", folder);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("manual.contact still contains a placeholder");
});

test("plan shows the new platform's machines", async () => {
  const folder = await initialised("--contact", "Ana");
  const { exitCode, stdout, stderr } = await run("plan", folder);
  expect(stderr).toBe("");
  expect(stdout).toContain("manual, started by Ana");
  expect(stdout).toContain("machine cp-1");
  expect(exitCode).toBe(2);
});
