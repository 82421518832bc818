import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./tree.ts";

const wire = join(root, "packages/wire");

function textsBelow(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

test("the generated code is what buf makes of the wire contract", () => {
  const folder = mkdtempSync(join(tmpdir(), "talosmith-gen-"));
  try {
    // buf looks for its plugin in the PATH.
    const PATH = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
    const made = spawnSync("buf", ["generate", "--output", folder], {
      cwd: wire,
      env: { ...process.env, PATH },
      encoding: "utf8",
    });
    expect(made.stderr).toBe("");
    expect(textsBelow(join(folder, "gen"))).toEqual(textsBelow(join(wire, "gen")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
