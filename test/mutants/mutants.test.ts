import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { inTurn } from "../lifecycle/sample.ts";
import { ROOT } from "../support/child.ts";
import { npmModulesExternal } from "../support/npm-modules-external.ts";
import { patched } from "./apply-patch.ts";

// Each patch is a bug. Its head says which tests must fail because of it, and what they must say.

/** Vite would take longer to look through the bundle than the test to fail, so Node loads it as it is. */
const CONFIG = `export default {
  cacheDir: "cache",
  test: {
    testTimeout: 600_000,
    hookTimeout: 300_000,
    setupFiles: [${JSON.stringify(join(ROOT, "test/support/property-seed.ts"))}],
    server: { deps: { external: [/\\.bundle\\.mjs$/] } },
  },
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
    platform: "node",
    format: "esm",
    logLevel: "error",
    plugins: [
      npmModulesExternal,
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
      // Stops a hang.
      timeout: 540_000,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => (output += part));
    child.on("error", failed);
    child.on("close", (exitCode) => done({ exitCode, output }));
  });
}

const patches = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".patch"));
const read = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8");

/** What a planted bug depends on most: its patch, the files it changes and the test that must notice. */
function hashOf(name: string): string {
  const patch = read(name);
  const changed = [...patch.matchAll(/^\+\+\+ (?:b\/)?(\S+)/gm)].map(([, path = ""]) => path);
  const hash = createHash("sha256").update(patch);
  for (const path of [...changed, testOf(patch)]) hash.update(readFileSync(join(ROOT, path)));
  return hash.digest("hex").slice(0, 16);
}

const testOf = (patch: string) =>
  head(patch, "caught by")
    .split(" ")
    .find((arg) => arg.endsWith(".test.ts")) ?? "";

/** By name: the hash with which a bug was caught last. Committed, and written anew by every run. */
const CAUGHT = join(import.meta.dirname, "caught.json");
const caught: Record<string, string> = existsSync(CAUGHT) ? JSON.parse(readFileSync(CAUGHT, "utf8")) : {};

/** Planted whether anything changed or not: an eighth of all bugs, another one after another commit. */
const inSample = inTurn(patches, 8);

/** Those that `npm run full` has caught before it was cut off. */
const tally = process.env.TEST_TALLY;
const done = tally !== undefined && existsSync(tally) ? readFileSync(tally, "utf8").split("\n") : [];

/** MUTANTS=all, or a part of a name: these alone. */
const asked = process.env.MUTANTS;
const planted = patches.filter((name) => {
  if (asked === "all") return !done.includes(`bug ${name}`);
  return asked === undefined ? caught[name] !== hashOf(name) || inSample.includes(name) : name.includes(asked);
});

test("there are at least twelve planted bugs", () => {
  expect(patches.length).toBeGreaterThanOrEqual(12);
});

// A run is waiting for a good part of its time, so three of them go side by side.
test.concurrent.each(planted)("the suite catches %s", async (name) => {
  const patch = read(name);
  const folder = mkdtempSync(join(tmpdir(), "talosmith-mutant-"));
  try {
    await plant(patch, folder, testOf(patch));
    const { exitCode, output } = await vitest(folder, head(patch, "caught by").split(" "));
    expect(exitCode, `it went unnoticed:\n${output.slice(-2000)}`).not.toBe(0);
    expect(output).toMatch(new RegExp(head(patch, "says")));
    caught[name] = hashOf(name);
    if (tally !== undefined) appendFileSync(tally, `bug ${name}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

afterAll(() => {
  const kept = Object.entries(caught).filter(([name]) => patches.includes(name));
  writeFileSync(CAUGHT, `${JSON.stringify(Object.fromEntries(kept.sort()), null, 2)}\n`);
});
