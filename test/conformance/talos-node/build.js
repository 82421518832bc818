import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached, found } from "../cache.js";
import { execute, version } from "../execute.js";
import { Skipped } from "../skipped.js";
import { EDITS, MACHINERY, PROGRAMS, REPLACED, TALOS, TALOS_MODULE } from "./sources.js";

const HERE = import.meta.dirname;
/** A quarter of an hour on two idle cores, and this machine may be busy. */
const BUILD_MS = 2 * 3_600_000;

const TALOS_TAGS = "tcell_minimal,grpcnotrace";
const TALOS_FLAGS = "-s -w -X golang.zx2c4.com/wireguard/ipc.socketDirectory=/system/wireguard-sock";
const CONTAINERD_TAGS = "no_cri,no_btrfs,no_zfs,no_devmapper,no_tracing";

/** The folder with the programs: machined, etcd, containerd and its shim, runc; made once for the same sources. */
export async function programs({ make }) {
  const go = await version("go", "version");
  if (go === undefined) throw new Skipped("there is no go");
  const gcc = await version("gcc", "-dumpversion");
  if (gcc === undefined) throw new Skipped("there is no gcc, which runc is built with");
  const inputs = [
    go,
    gcc,
    ...["sources.js", "build.js"].map((file) => readFileSync(join(HERE, file), "utf8")),
    ...["go.mod", "go.sum"].map((file) => readFileSync(join(PROGRAMS, file), "utf8")),
  ];
  if (!make && found("talos-node-programs", inputs) === undefined)
    throw new Skipped(`Talos ${TALOS} is not built yet: npm run conformance -- talos-node does it, in 15 to 30 minutes`);
  return cached("talos-node-programs", inputs, async (half) => {
    const source = join(half, "source");
    await talosSource(source);
    const program = (name) => join(half, name);
    const talos = (name, what) => build(program(name), what, { cwd: source, tags: TALOS_TAGS, flags: TALOS_FLAGS, mod: "mod" });
    await talos("machined", "./internal/app/machined");
    const other = (name, what, options) => build(program(name), what, { cwd: PROGRAMS, flags: "-s -w", ...options });
    await other("etcd", "go.etcd.io/etcd/server/v3");
    for (const name of ["containerd", "containerd-shim-runc-v2"])
      await other(name, `github.com/containerd/containerd/v2/cmd/${name}`, { tags: CONTAINERD_TAGS });
    await other("runc", "github.com/opencontainers/runc", {
      tags: "netgo,osusergo",
      flags: "-s -w -linkmode external -extldflags -static",
      cgo: true,
    });
    rmSync(source, { recursive: true });
  });
}

/** `-trimpath`: the folder's name is another one each time, and Go's cache must not notice. */
async function build(program, what, { cwd, tags = "", flags, cgo = false, mod = "readonly" }) {
  const env = { ...process.env, CGO_ENABLED: cgo ? "1" : "0", GOWORK: "off" };
  const args = ["build", "-trimpath", "-buildvcs=false", `-mod=${mod}`, "-tags", tags, "-ldflags", flags, "-o", program, what];
  await execute("go", args, { cwd, env, timeout: BUILD_MS });
}

/** Talos's module with its machinery inside, as in its repository, with our changes. */
async function talosSource(source) {
  for (const [n, module] of [TALOS_MODULE, MACHINERY].entries()) {
    const from = await moduleFolder(module);
    const into = n === 0 ? source : join(source, "pkg/machinery");
    cpSync(from, into, { recursive: true });
    // What the module cache has is read-only.
    await execute("chmod", ["-R", "u+w", into]);
  }
  rmSync(join(source, "go.work"), { force: true });
  const replaced = Object.entries(REPLACED).map(([module, release]) => `-replace=${module}=${module}@${release}`);
  await execute("go", ["mod", "edit", ...replaced], { cwd: source });
  for (const { file, from, to, why } of EDITS) {
    const path = join(source, file);
    const [before, after, ...more] = readFileSync(path, "utf8").split(from);
    if (after === undefined || more.length > 0)
      throw new Error(`${file} of Talos ${TALOS} does not have "${from}" once (${why})`);
    writeFileSync(path, `${before}${to}${after}`);
  }
}

/** Where Go has unpacked a module of the Talos release, downloaded when it was not yet. */
export async function moduleFolder(module) {
  return JSON.parse(await execute("go", ["mod", "download", "-json", `${module}@${TALOS}`])).Dir;
}
