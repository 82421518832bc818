import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROOT } from "../support/child.ts";
import { patched } from "./apply-patch.ts";

// Each patch is a bug. Its head says which tests must fail because of it, and what they must say.

/** Vite would take longer to look through the bundle than the test to fail, so Node loads it as it is. */
const CONFIG = `export default {
  cacheDir: "cache",
  test: { testTimeout: 600_000, hookTimeout: 300_000, server: { deps: { external: [/\\.bundle\\.mjs$/] } } },
};
`;

function head(patch: string, key: string): string {
  const value = new RegExp(`^# ${key}: (.*)$`, "m").exec(patch)?.[1];
  if (!value) throw new Error(`the patch does not say "# ${key}: …"`);
  return value;
}

/** A folder with nothing in it but that test and all it imports, as one file, with the bug. */
async function plant(patch: string, folder: string, file: string): Promise<void> {
  const bugs = patched(patch, ROOT);
  const bundle = join(folder, file.replace(/\.test\.ts$/, ".bundle.mjs"));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [file],
    outfile: bundle,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
    plugins: [
      {
        name: "bug",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = bugs.get(path);
            return contents === undefined ? undefined : { contents, loader: "ts" };
          }),
      },
    ],
  });
  mkdirSync(dirname(bundle), { recursive: true });
  writeFileSync(join(folder, file), `import "./${basename(bundle)}";\n`);
  writeFileSync(join(folder, "vitest.config.mjs"), CONFIG);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

function vitest(folder: string, args: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...args], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1", BAIL: "1" },
      timeout: 400_000,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => (output += part));
    child.on("error", failed);
    child.on("close", (exitCode) => done({ exitCode, output }));
  });
}

const patches = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".patch"));

test("there are at least twelve planted bugs", () => {
  expect(patches.length).toBeGreaterThanOrEqual(12);
});

// Much of a run is waiting, so some of them go side by side.
test.concurrent.each(patches)("the suite catches %s", { timeout: 450_000 }, async (name) => {
  const patch = readFileSync(join(import.meta.dirname, name), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "talosmith-mutant-"));
  try {
    const args = head(patch, "caught by").split(" ");
    await plant(patch, folder, args.find((arg) => arg.endsWith(".test.ts")) ?? "");
    const { exitCode, output } = await vitest(folder, args);
    expect(exitCode, `it went unnoticed:\n${output.slice(-2000)}`).not.toBe(0);
    expect(output).toMatch(new RegExp(head(patch, "says")));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
