import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROOT } from "../support/child.ts";
import { applyPatch } from "./apply-patch.ts";

// Each patch is a bug. Its head says which tests must fail because of it, and what they must say.

const COPIED = ["src", "test", "bench", "gen", "package.json", "tsconfig.json", "vitest.config.ts"];

function head(patch: string, key: string): string {
  const value = new RegExp(`^# ${key}: (.*)$`, "m").exec(patch)?.[1];
  if (!value) throw new Error(`the patch does not say "# ${key}: …"`);
  return value;
}

/** The test and all it imports as one file: thousands of them would take longer to load than the test to fail. */
async function bundle(folder: string, file: string): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
}

function vitest(folder: string, args: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...args], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1", BAIL: "1" },
      timeout: 240_000,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => (output += part));
    child.on("error", failed);
    child.on("close", (exitCode) => done({ exitCode, output }));
  });
}

const patches = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".patch"));

test("there are at least four planted bugs", () => {
  expect(patches.length).toBeGreaterThanOrEqual(4);
});

// Most of a run is waiting, so two of them go side by side.
test.concurrent.each(patches)("the suite catches %s", { timeout: 300_000 }, async (name) => {
  const patch = readFileSync(join(import.meta.dirname, name), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "talosmith-mutant-"));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    applyPatch(patch, folder);
    const args = head(patch, "caught by").split(" ");
    await bundle(folder, args.find((arg) => arg.endsWith(".test.ts")) ?? "");
    let { exitCode, output } = await vitest(folder, args);
    // Some bugs show in a moment that a busy machine can miss.
    if (exitCode === 0) ({ exitCode, output } = await vitest(folder, args));
    expect(exitCode, `it went unnoticed:\n${output.slice(-2000)}`).not.toBe(0);
    expect(output).toMatch(new RegExp(head(patch, "says")));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
