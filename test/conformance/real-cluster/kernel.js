import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cached, found } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";
import { debianPackages, environmentOf } from "./debian.js";

const HERE = import.meta.dirname;
const SOURCE = "linux-source-6.1";
const TOOLS = ["flex", "bison", "m4", "libsigsegv2", "bc", "libreadline8", "libtinfo6"];
const NEEDED = { gcc: ["-dumpversion"], make: ["--version"], xz: ["--version"], tar: ["--version"] };
/** Six minutes on two idle cores. */
const BUILD_MS = 2 * 3_600_000;

/** A kernel that runs as a program of this machine (User-Mode Linux), with all that Kubernetes wants; Debian's own lacks some of it. */
export async function kernel({ make }) {
  if (process.arch !== "x64") throw new Skipped("User-Mode Linux is built for x86-64 only");
  for (const [program, args] of Object.entries(NEEDED))
    if ((await version(program, ...args)) === undefined)
      throw new Skipped(`there is no ${program}, which the kernel is built with`);
  const settings = readFileSync(join(HERE, "kernel.config"), "utf8");
  const inputs = [settings, readFileSync(import.meta.filename, "utf8"), await version("gcc", "-dumpversion")];
  if (!make && found("real-cluster-kernel", inputs) === undefined)
    throw new Skipped("the kernel is not built yet: npm run conformance -- real-cluster does it");
  const folder = await cached("real-cluster-kernel", inputs, (half) => build(half, settings));
  return join(folder, "linux");
}

async function build(folder, settings) {
  const debian = await debianPackages("real-cluster-kernel-source", [SOURCE, ...TOOLS]);
  const source = join(folder, "source");
  mkdirSync(source, { recursive: true });
  const archive = join(debian, "usr/src", `${SOURCE}.tar.xz`);
  await execute("tar", ["--extract", "--file", archive, "--directory", source, "--strip-components=1"]);
  const tools = { BISON_PKGDATADIR: join(debian, "usr/share/bison"), M4: join(debian, "usr/bin/m4") };
  const env = environmentOf(debian, { ARCH: "um", ...tools });
  const make = (...targets) => execute("make", targets, { cwd: source, env, timeout: BUILD_MS });
  await make("defconfig");
  await execute("tee", ["--append", ".config"], { cwd: source, input: settings });
  await make("olddefconfig");
  lacksNothing(settings, readFileSync(join(source, ".config"), "utf8"));
  await make("-j2", "linux");
  copyFileSync(join(source, "linux"), join(folder, "linux"));
  rmSync(source, { recursive: true });
}

/** A setting whose conditions are not met is dropped without a word. */
function lacksNothing(wanted, got) {
  const settings = new Set(got.split("\n"));
  const missing = wanted.split("\n").filter((line) => line.endsWith("=y") && !settings.has(line));
  if (missing.length > 0) throw new Error(`the kernel has no ${missing.join(", ")}`);
}
