import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../build/bundle.js";
import { SHIPPED } from "./npm-package.js";

/** Node looks for its program where this text stands; it is the same in every release. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Makes a single binary: a copy of `node` with the program, its code cache and its documents inside. It is for the system and processor of that Node,
 * which must be able to run here, because it compiles the code cache. Returns its path.
 */
export async function binary(root, out, node) {
  const [esbuild, { inject }] = await Promise.all([import("esbuild"), import("postject")]);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const work = mkdtempSync(join(tmpdir(), "talosmith-binary-"));
  try {
    // One file in CommonJS: a program inside of Node cannot load a second one.
    compile(esbuild, root, work, { format: "cjs", sourcemap: false, outExtension: { ".js": ".cjs" } });
    const assets = Object.fromEntries(SHIPPED.flatMap((path) => filesBelow(root, path)).map((path) => [path, join(root, path)]));
    const config = { main: "cli.cjs", output: "program.blob", disableExperimentalSEAWarning: true, useCodeCache: true, assets };
    writeFileSync(join(work, "sea.json"), JSON.stringify(config));
    execFileSync(node, ["--experimental-sea-config", "sea.json"], { cwd: work, stdio: ["ignore", "ignore", "inherit"] });

    const [system, processor] = JSON.parse(
      execFileSync(node, ["-p", "JSON.stringify([process.platform, process.arch])"], { encoding: "utf8" }),
    );
    mkdirSync(out, { recursive: true });
    const file = join(out, `talosmith-${version}-${system}-${processor}${system === "win32" ? ".exe" : ""}`);
    copyFileSync(node, file);
    chmodSync(file, 0o755);
    const macOS = system === "darwin" ? { machoSegmentName: "NODE_SEA" } : {};
    await inject(file, "NODE_SEA_BLOB", readFileSync(join(work, "program.blob")), { sentinelFuse: FUSE, ...macOS });
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function filesBelow(root, path) {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => filesBelow(root, `${path}/${name}`));
}
