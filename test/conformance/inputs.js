import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");

/** Paths and contents of all files of these folders. */
export function filesBelow(folders) {
  return contents(
    folders
      .filter((folder) => existsSync(join(ROOT, folder)))
      .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts") && !entry.name.endsWith(".md"))
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  );
}

/**
 * What the result of one part depends on: its own folder and judge, what the parts share, and every file of ours that its TypeScript imports. `entries`: other
 * TypeScript to begin from, `also`: folders that it reads as data.
 */
export async function inputsOf({ folder, entries, also = [] }) {
  const own = join("test/conformance", folder);
  const from = entries ?? readdirSync(join(ROOT, own)).flatMap((name) => (name.endsWith(".ts") ? [join(own, name)] : []));
  const shared = ["test/conformance", "test/oracles"].flatMap((home) =>
    readdirSync(join(ROOT, home), { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [join(home, entry.name)] : [])),
  );
  return [...contents([...shared, ...(await imported(from))]), ...filesBelow([own, join("test/oracles", folder), ...also])];
}

async function imported(entryPoints) {
  const { metafile } = await build({
    entryPoints,
    absWorkingDir: ROOT,
    outdir: "unused",
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    external: ["cpu-features", "*.node"],
  });
  return Object.keys(metafile.inputs).filter((path) => !path.includes("node_modules/"));
}

function contents(paths) {
  return [...new Set(paths)].sort().flatMap((path) => [path, readFileSync(join(ROOT, path), "utf8")]);
}
